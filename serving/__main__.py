"""``python -m serving``: the command line without an installed script."""

from serving.cli import main

if __name__ == "__main__":
    main()

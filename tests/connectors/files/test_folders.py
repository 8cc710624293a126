"""Folders as sources: which files are taken, in which order, and what is told of the rest."""

import json
import os
from pathlib import Path

import pytest

from connectors.files.files import read_file
from connectors.files.folders import find_files
from mneme.errors import InputError

CHAT = json.dumps({"messages": [{"role": "user", "content": "Hi"}, {"role": "user", "content": "Tea?"}]})


def written(folder: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = folder / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def names(*paths: Path, **defaults: str) -> list[str]:
    return [found.name for found in find_files(paths, defaults).files]


def test_the_files_of_a_folder_come_sorted_and_are_named_by_their_way(tmp_path):
    folder = written(tmp_path, b_md="B", a__z_md="Z", a__b__c_txt="C", c_pdf=b"%PDF-1.7\n")
    assert names(folder) == ["a/b/c.txt", "a/z.md", "b.md", "c.pdf"]
    raws = [json.loads(one.raw) for found in find_files([folder]).files for one in read_file(found.path, name=found.name)]
    assert [raw["document_id"] for raw in raws] == ["a/b/c.txt", "a/z.md", "b.md", "c.pdf"]


def test_a_file_stands_for_itself(tmp_path):
    folder = written(tmp_path / "in", b_md="B", a_md="A")
    (tmp_path / "z.md").write_text("Z")
    assert names(tmp_path / "z.md", folder) == ["z.md", "a.md", "b.md"]


def test_events_are_counted(tmp_path):
    folder = written(tmp_path, a_json=CHAT, b_md="B")
    assert [found.events for found in find_files([folder], {"user_id": "ada"}).files] == [2, 1]


def test_what_is_hidden_is_left_out(tmp_path):
    folder = written(tmp_path, a_md="A")
    written(folder / ".git", config="x")
    (folder / ".notes.md").write_text("x")
    search = find_files([folder])
    assert ([found.name for found in search.files], search.skipped) == (["a.md"], ())


def test_a_circle_of_links_ends_and_nothing_is_taken_twice(tmp_path):
    folder = written(tmp_path / "in", a__a_md="A", b_md="B")
    written(tmp_path / "beside", c_md="C")
    (folder / "a" / "up").symlink_to(folder)
    (folder / "0again").symlink_to(folder / "a")
    (folder / "0b.md").symlink_to(folder / "b.md")
    (folder / "c").symlink_to(tmp_path / "beside")
    (folder / "d.md").symlink_to(folder / "b.md")
    (folder / "self").symlink_to(folder / "self")
    (folder / "gone").symlink_to(folder / "absent")
    (tmp_path / "beside" / "back").symlink_to(folder)
    assert names(folder) == ["a/a.md", "b.md", "c/c.md"]


def test_what_is_not_understood_is_told_and_the_rest_is_taken(tmp_path):
    folder = written(
        tmp_path,
        a_zip=b"PK\x05\x06" + bytes(18),
        b_md="B",
        c_json='{"shape": "unknown"}',
        d_json=CHAT,
        e_txt="",
        f_bin=b"\0" * 9,
    )
    os.mkfifo(folder / "pipe")
    search = find_files([folder])
    assert [found.name for found in search.files] == ["b.md"]
    reasons = {skipped.path.name: skipped.reason for skipped in search.skipped}
    assert list(reasons) == ["a.zip", "c.json", "d.json", "e.txt", "f.bin", "pipe"]
    assert "unpack it" in reasons["a.zip"]
    assert "no form that is understood" in reasons["c.json"]
    assert "whose memory" in reasons["d.json"]
    assert reasons["e.txt"] == "the file is empty"
    assert "binary data" in reasons["f.bin"]
    assert reasons["pipe"] == "it is no regular file"


def test_a_file_that_is_given_by_itself_must_be_understood(tmp_path):
    written(tmp_path, a_json='{"shape": "unknown"}', b_md="B")
    with pytest.raises(InputError, match=r"a\.json: .*no form that is understood"):
        find_files([tmp_path / "b.md", tmp_path / "a.json"])
    with pytest.raises(InputError, match=r"absent: no such file"):
        find_files([tmp_path / "absent"])


def test_a_folder_without_anything_to_take_is_refused(tmp_path):
    with pytest.raises(InputError, match="there is no file in this folder"):
        find_files([tmp_path])
    written(tmp_path, a_bin=b"\0")
    with pytest.raises(InputError, match=r"none of its 1 files is understood; a\.bin: it is binary data"):
        find_files([tmp_path])


def test_a_name_that_is_no_text_is_told(tmp_path):
    written(tmp_path, a_md="A")
    (Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.md"))).write_text("x")
    (skipped,) = find_files([tmp_path]).skipped
    assert "not UTF-8" in skipped.reason

"""What one message corrects of another: "Sorry, I meant Friday." """

from flows.extraction.corrections.meant import Corrected, corrections_of

__all__ = ["Corrected", "corrections_of"]

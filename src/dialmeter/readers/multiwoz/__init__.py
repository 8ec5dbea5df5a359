"""Readers of MultiWOZ and of trackers that were published on MultiWOZ."""

"""Dialogues of the invented town of Saltmere with two trackers, written by tools/make_demo_dialogues.py."""

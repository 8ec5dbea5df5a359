"""Acts for turns that have only text: ``TextReader(maker, profile).read(conversation)`` fills them in."""

"""What is asked about scored users: who is to blame for a loss, how goals are expressed, which dialogues have an event."""

"""What all subjects share: runs on disk, the engine that works shards, and the files that they leave."""

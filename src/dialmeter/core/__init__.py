"""Code that all subjects share: runs on disk, the engine that processes shards, and their output files."""

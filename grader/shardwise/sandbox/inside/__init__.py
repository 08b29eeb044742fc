"""The half of the sandbox that runs inside it; it imports nothing of shardwise but itself."""

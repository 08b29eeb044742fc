"""The part of the sandbox that runs inside the isolation. It imports nothing else of shardwise."""

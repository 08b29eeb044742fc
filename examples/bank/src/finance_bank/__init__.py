"""What this bank adds to shardwise: the kind `allocation`."""

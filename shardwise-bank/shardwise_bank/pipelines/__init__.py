"""The pipeline simulator: operations, named schedules, and timelines. It is independent of questions."""

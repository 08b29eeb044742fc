"""The simulator of pipelines: their operations, schedules that have a name, and what runs when. Knows of no questions."""

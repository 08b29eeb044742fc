"""References for the chapter on learning rate, batch size and their schedules."""

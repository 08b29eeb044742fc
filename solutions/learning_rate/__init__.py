"""References of the chapter on learning rate, batch size and their schedules."""

"""Running a student's function on their own computer: in a thread, or in a process of its own."""

"""Planning of training runs, shared by the command line and the student's desk."""

"""The student's side: check, hint, solution, another and forms. Nothing here requires Linux."""

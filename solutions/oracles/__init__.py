"""Independent engines that confirm the references: they simulate, count and enumerate, and share no formula."""

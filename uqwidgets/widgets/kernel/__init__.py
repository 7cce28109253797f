"""What runs in the kernel: the worker, its time, its frames, and the built front end."""

"""The solver at work: its processes, the queue, what they found, and the bank of winnable deals."""

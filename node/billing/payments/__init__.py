"""Credit bought through the card processor, and what the processor is told of it in turn."""

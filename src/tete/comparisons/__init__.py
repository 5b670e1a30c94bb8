"""What is known before any map: answers as `triplets`, other questions, what they contain and how far people agree."""

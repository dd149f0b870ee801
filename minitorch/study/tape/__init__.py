"""Recording a program: where its calls stand, what they took and gave, and the data of it all."""

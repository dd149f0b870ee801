# torch.no_such_function: a function that does not exist
x = torch.no_such_function(1)

# torch.ones: a method that does not exist
x = torch.ones(2).no_such_method()

# nn.NoSuchModule: a module that does not exist
x = nn.NoSuchModule(2)

# torch.no_such_function: a name that is asked for
x = hasattr(torch, "no_such_function"), getattr(torch, "no_such_function", None)

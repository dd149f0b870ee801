# torch.optim.Adam: steps are counted in float32, or float64 if that is the default dtype
import warnings

warnings.simplefilter("ignore")
for default in (torch.bfloat16, torch.float16, torch.float64):
    torch.set_default_dtype(default)
    for name in (
        "Adam",
        "AdamW",
        "Adagrad",
        "NAdam",
        "RAdam",
        "Adamax",
        "RMSprop",
        "ASGD",
        "Rprop",
    ):
        for options in ({}, {"fused": True}, {"foreach": True}):
            p = nn.Parameter(torch.ones(2, dtype=torch.float32))
            p.grad = torch.ones(2, dtype=torch.float32)
            try:
                made = getattr(torch.optim, name)([p], **options)
            except (TypeError, RuntimeError) as error:
                print(name, options, type(error).__name__)
                continue
            made.step()
            held = made.state_dict()
            print(name, options, {k: v.dtype for k, v in held["state"][0].items()})
            held["state"][0]["step"] = 300.0
            made.load_state_dict(held)
            made.step()
            print(made.state[p]["step"])
torch.set_default_dtype(torch.float32)
del made, held, p

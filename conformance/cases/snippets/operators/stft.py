# torch.stft: frames that are aligned to a window that is narrower than they are
x = torch.arange(16.0).cos()
print(torch.stft(x, 8, 2, 4, center=False, return_complex=True, align_to_window=True))
print(torch.stft(x, 8, 3, 5, torch.arange(5.0), False, return_complex=True, align_to_window=True))

# torch.istft: a signal that is made longer than its frames
x = torch.arange(16.0).cos()
s = torch.stft(x, 4, 2, window=torch.ones(4), return_complex=True)
print(torch.istft(s, 4, 2, window=torch.ones(4), length=18))
print(torch.istft(s, 4, 2, window=torch.ones(4), length=15))

# torch.istft: a signal that is cut and made longer than all its frames
x = torch.arange(16.0).cos()
for center in (True, False):
    s = torch.stft(x, 4, 2, window=torch.ones(4), center=center, return_complex=True)
    for length in (9, 16, 20, 27):
        print(torch.istft(s, 4, 2, window=torch.ones(4), center=center, length=length))

# torch.kaiser_window: windows with every option
for make in (
    torch.hann_window,
    torch.hamming_window,
    torch.bartlett_window,
    torch.blackman_window,
    torch.kaiser_window,
):
    for n in (0, 1, 2, 5, 8):
        for periodic in (True, False):
            print(make(n, periodic), make(n, periodic, dtype=torch.float64))
print(torch.kaiser_window(6, True, 3.0), torch.hamming_window(6, False, 0.6, 0.3))

# torch.hann_window: windows that are shorter than their frames
x, w = torch.arange(20.0), torch.hann_window(5)
a = torch.stft(x, 8, 3, 5, w, center=False, return_complex=True)
b = torch.stft(x, 8, 3, 4, w[:4], center=False, return_complex=True, align_to_window=True)
c = torch.stft(x, 9, 3, 4, w[:4], center=False, return_complex=True, align_to_window=True)
torch.stft(x, 8, 3, 5, w, center=False, return_complex=True, align_to_window=True)

# torch.istft: short-time transforms of complex signals
x = torch.polar(torch.linspace(0.5, 2, 40), torch.linspace(0, 9, 40))
made = []
for width, length in ((8, 8), (8, 5), (8, 6), (9, 4)):
    window = torch.hann_window(length)
    s = torch.stft(x, width, 3, length, window, return_complex=True, onesided=False)
    y = torch.istft(s, width, 3, length, torch.ones(length), onesided=False, return_complex=True)
    z = torch.istft(s, width, 3, length, onesided=False, length=31, return_complex=True)
    w = torch.istft(s, width, 3, length, torch.ones(length), normalized=True, onesided=False)
    made += [s * 1, y * 1, z * 1, w * 1]
    r = torch.stft(x.real, width, 3, length, window, return_complex=True)
    made += [r * 1, torch.istft(r, width, 3, length, torch.ones(length)) * 1]
del window, s, y, z, w, r

# torch.hann_window: frames that are aligned to a window shorter than they are
x = torch.linspace(-1.0, 1.0, 41) ** 3
a = [
    torch.stft(
        *(x, 9, 4, length, torch.hann_window(length) if given else None),
        center=False,
        return_complex=True,
        align_to_window=aligned,
    )
    for length in (4, 5, 8, 9)
    for given in (True, False)
    for aligned in (True, False)
]

# torch.fft.rfft: a spectrum and its gradient
x = torch.tensor([1.0, 2.0, 0.5, -1.0], requires_grad=True)
y = torch.fft.rfft(x)
y.abs().sum().backward()
print(y, x.grad)

# torch.fft.ifft2: there and back again
x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 7.0]], requires_grad=True)
y = torch.fft.ifft2(torch.fft.fft2(x)).real
(y * y).sum().backward()
print(y, x.grad)

# torch.fft.rfftfreq: a low-pass filter
x = torch.arange(8.0, requires_grad=True)
s = torch.fft.rfft(x, norm="ortho")
mask = torch.fft.rfftfreq(8) < 0.3
y = torch.fft.irfft(s * mask, n=8, norm="ortho")
y[3].backward()
print(y, x.grad, mask)

# torch.fft.rfft: a convolution by spectra
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
w = torch.tensor([0.5, -1.0], requires_grad=True)
y = torch.fft.irfft(torch.fft.rfft(x, 4) * torch.fft.rfft(w, 4), 4)
y.sum().backward()
print(y, x.grad, w.grad)

# torch.fft.fftshift: frequencies in order
print(torch.fft.fftshift(torch.fft.fftfreq(5, d=0.1)), torch.fft.ifftshift(torch.arange(5)))

# torch.fft.rfft: complex signals have no rfft
torch.fft.rfft(torch.ones(3, dtype=torch.complex64))

# torch.fft.fft: no points
torch.fft.fft(torch.ones(0))

# torch.fft.fft: an unknown norm
torch.fft.fft(torch.ones(3), norm="unit")

# torch.fft.fft: integers become complex numbers
print(torch.fft.fft(torch.arange(3)))

# torch.hann_window: frames of a signal
x = torch.linspace(0, 1, 12).requires_grad_()
s = torch.stft(x, 4, hop_length=2, window=torch.hann_window(4), return_complex=True)
y = torch.istft(s, 4, hop_length=2, window=torch.hann_window(4))
y.sum().backward()
print(s.shape, y, x.grad)

# torch.hamming_window: windows
print(torch.hann_window(5), torch.hamming_window(4, periodic=False), torch.bartlett_window(5))
print(torch.blackman_window(4, dtype=torch.float64))

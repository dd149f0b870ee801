"""The families of operators that wait for their first use, and the names they declare.

Written by `python -m tools.write_stubs`; a test keeps it up to date.
"""

# family -> where its names are: m methods, o operators of formulas, f functions of `torch`
INDEX: dict[str, dict[str, str]] = {
    "creation.sequences": {
        "o": "positions",
        "of": "arange eye linspace logspace range tril_indices triu_indices",
    },
    "creation.random": {
        "mof": "bernoulli multinomial",
        "o": "bernoulli_p normal_Tensor_Tensor normal_Tensor_float normal_float_Tensor",
        "of": (
            "_sample_dirichlet _standard_gamma binomial normal poisson rand rand_like randint "
            "randint_like randn randn_like randperm"
        ),
    },
    "shape.joining": {
        "mo": "repeat",
        "mof": "repeat_interleave tile",
        "o": "repeat_interleave_Tensor",
        "of": (
            "_chunk_cat atleast_1d atleast_2d atleast_3d block_diag cartesian_prod cat "
            "column_stack concat concatenate dstack hstack meshgrid row_stack stack vstack"
        ),
    },
    "indexing.gathering": {
        "mof": (
            "argwhere count_nonzero gather index_select masked_select nonzero take take_along_dim "
            "where"
        ),
        "o": "count_nonzero_dim_IntList where_self",
    },
    "creation.random_in_place": {
        "mo": "bernoulli_ cauchy_ exponential_ geometric_ log_normal_ normal_ random_ uniform_",
    },
    "indexing.scattering": {
        "m": "index_add_ index_copy_ put_ scatter_ scatter_add_",
        "mo": "masked_scatter_",
        "mof": "index_add index_copy masked_scatter put scatter scatter_add",
        "o": (
            "masked_scatter_backward scatter_reduce scatter_src scatter_value scatter_value_reduce"
        ),
    },
    "elementwise.interpolation": {
        "m": "addcdiv_ addcmul_ lerp_",
        "mf": "xlogy_",
        "mof": "addcdiv addcmul lerp xlogy",
        "o": "lerp_Scalar lerp_Tensor xlogy_Scalar_Other xlogy_Scalar_Self xlogy_Tensor",
    },
    "elementwise.clamping": {
        "mf": "clamp_ clamp_max_ clamp_min_ clip clip_ relu_",
        "mof": "clamp clamp_max clamp_min fmax fmin maximum minimum relu",
        "o": "clamp_Tensor clamp_max_Tensor clamp_min_Tensor threshold_backward",
        "of": "threshold threshold_",
    },
    "reduction.moments": {
        "mof": "std var",
        "o": "std_correction std_mean_correction var_correction var_mean_correction",
        "of": "std_mean var_mean",
    },
    "reduction.extrema": {
        "mof": "amax amin aminmax argmax argmin hash_tensor max min",
        "o": "max_dim min_dim",
    },
    "layers.softmax": {
        "mof": "log_softmax softmax",
        "of": (
            "_log_softmax _log_softmax_backward_data _safe_softmax _softmax _softmax_backward_data"
        ),
    },
    "shape.triangles": {
        "m": "tril_ triu_",
        "mof": "diag diag_embed diagflat trace tril triu",
    },
    "reduction.sorting": {
        "mof": "argsort kthvalue median mode msort nanmedian sort topk",
        "o": "median_dim nanmedian_dim sort_stable",
    },
    "reduction.norms": {
        "m": "renorm_",
        "mof": "dist norm renorm",
        "o": (
            "linalg__powsum linalg_vector_norm norm_Scalar norm_ScalarOpt_dim "
            "norm_ScalarOpt_dim_dtype norm_ScalarOpt_dtype"
        ),
        "of": "_weight_norm _weight_norm_interface norm_except_dim",
    },
    "storages": {
        "mo": "_typed_storage is_set_to is_shared share_memory_ storage storage_type",
        "of": "from_file",
    },
    "shape.in_place_views": {
        "mo": "resize_ set_ squeeze_ swapaxes_ swapdims_ t_ transpose_ unsqueeze_",
        "mof": "as_strided_ resize_as_",
        "o": "squeeze__dim squeeze__dims",
    },
    "indexing.masked_indexing": {
        "of": "_unsafe_masked_index _unsafe_masked_index_put_accumulate",
    },
    "indexing.scatter_reduction": {
        "m": "scatter_reduce_",
        "mf": "scatter_reduce",
        "mo": "index_reduce_",
        "mof": "index_reduce",
        "o": "scatter_reduce_two",
    },
    "sparse.index_conversion": {
        "of": "_convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo",
    },
    "reduction.segments": {
        "f": "_segment_reduce",
        "o": "_segment_reduce_backward",
        "of": "segment_reduce",
    },
    "indexing.lookup": {
        "o": (
            "_embedding_bag_backward _embedding_bag_per_sample_weights_backward "
            "embedding_dense_backward one_hot"
        ),
        "of": "_embedding_bag embedding embedding_bag embedding_renorm_",
    },
    "reduction.searching": {
        "mof": "bincount unique unique_consecutive",
        "o": "searchsorted_Tensor unique_dim",
        "of": "_unique _unique2 bucketize isin searchsorted",
    },
    "reduction.histograms": {
        "mof": "histc histogram",
        "o": "histogram_bin_ct histogram_bins_tensor",
        "of": (
            "_histogramdd_bin_edges _histogramdd_from_bin_cts _histogramdd_from_bin_tensors "
            "histogramdd"
        ),
    },
    "reduction.scan": {
        "mo": "cumprod_ cumsum_",
        "mof": "cummax cummin cumprod cumsum logcumsumexp",
    },
    "reduction.quantiles": {
        "mof": "corrcoef cov diff nanquantile quantile",
        "of": "gradient",
    },
    "linalg.products": {
        "mof": "cross geqrf matrix_power orgqr ormqr",
        "o": (
            "_linalg_check_errors linalg_cross linalg_householder_product linalg_matrix_power "
            "linalg_multi_dot linalg_vecdot"
        ),
        "of": "_int_mm chain_matmul",
    },
    "linalg.triangles": {
        "mof": "cholesky triangular_solve",
        "o": "linalg_cholesky linalg_cholesky_ex linalg_solve_triangular",
    },
    "linalg.lu": {
        "mof": "lu lu_solve",
        "o": "linalg_lu linalg_lu_factor linalg_lu_factor_ex linalg_lu_solve",
        "of": "_lu_with_info lu_unpack",
    },
    "linalg.solving": {
        "mof": "cholesky_inverse cholesky_solve det inverse logdet slogdet",
        "o": "linalg_det linalg_inv linalg_inv_ex linalg_slogdet linalg_solve linalg_solve_ex",
        "of": "_linalg_det _linalg_slogdet _linalg_solve_ex",
    },
    "linalg.ldl": {
        "o": "linalg_ldl_factor linalg_ldl_factor_ex linalg_ldl_solve",
    },
    "linalg.spectra": {
        "mof": "qr svd",
        "o": (
            "linalg_eig linalg_eigh linalg_eigvals linalg_eigvalsh linalg_qr linalg_svd "
            "linalg_svdvals"
        ),
        "of": "_linalg_eigh _linalg_svd",
    },
    "linalg.extras": {
        "mof": "matrix_exp pinverse",
        "o": (
            "linalg_cond linalg_lstsq linalg_matrix_exp linalg_matrix_norm linalg_matrix_rank "
            "linalg_norm linalg_pinv linalg_pinv_atol_rtol_tensor linalg_tensorinv "
            "linalg_tensorsolve linalg_vander"
        ),
        "of": "frobenius_norm nuclear_norm vander",
    },
    "elementwise.special": {
        "m": "igamma_ igammac_ mvlgamma_",
        "mf": "gcd_ i0_ lcm_ ldexp_",
        "mo": "polygamma_",
        "mof": "gcd i0 igamma igammac lcm ldexp mvlgamma polygamma",
        "o": (
            "ldexp_Tensor special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 "
            "special_bessel_y1 special_chebyshev_polynomial_t special_chebyshev_polynomial_u "
            "special_chebyshev_polynomial_v special_chebyshev_polynomial_w special_entr "
            "special_erfcx special_hermite_polynomial_h special_hermite_polynomial_he special_i0e "
            "special_i1 special_i1e special_laguerre_polynomial_l special_legendre_polynomial_p "
            "special_log_ndtr special_modified_bessel_i0 special_modified_bessel_i1 "
            "special_modified_bessel_k0 special_modified_bessel_k1 special_ndtr special_ndtri "
            "special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1 "
            "special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u "
            "special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w "
            "special_spherical_bessel_j0 special_xlog1py special_xlog1py_other_scalar "
            "special_xlog1py_self_scalar special_zeta special_zeta_other_scalar "
            "special_zeta_self_scalar"
        ),
        "of": "_dirichlet_grad _standard_gamma_grad cumulative_trapezoid trapezoid trapz",
    },
    "layers.convolution": {
        "o": "convolution_backward",
        "of": (
            "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d convolution"
        ),
    },
    "layers.padding": {
        "o": (
            "_pad_circular pad_of_functional reflection_pad1d reflection_pad1d_backward "
            "reflection_pad2d reflection_pad2d_backward reflection_pad3d reflection_pad3d_backward "
            "replication_pad1d replication_pad1d_backward replication_pad2d "
            "replication_pad2d_backward replication_pad3d replication_pad3d_backward"
        ),
        "of": "constant_pad_nd",
    },
    "signal.fourier": {
        "o": (
            "fft_fft fft_fft2 fft_fftn fft_fftshift fft_hfft fft_hfft2 fft_hfftn fft_ifft "
            "fft_ifft2 fft_ifftn fft_ifftshift fft_ihfft fft_ihfft2 fft_ihfftn fft_irfft "
            "fft_irfft2 fft_irfftn fft_rfft fft_rfft2 fft_rfftn"
        ),
        "of": "_fft_c2c _fft_c2r _fft_r2c",
    },
    "signal.stft": {
        "mof": "istft stft",
        "of": "bartlett_window blackman_window hamming_window hann_window kaiser_window",
    },
    "linalg.einsum": {
        "mof": "inner kron",
        "of": "_trilinear bilinear einsum tensordot",
    },
    "elementwise.activation": {
        "o": (
            "elu elu_ elu_backward gelu gelu_backward glu glu_backward hardsigmoid "
            "hardsigmoid_backward hardswish hardswish_backward log_sigmoid log_sigmoid_backward "
            "log_sigmoid_forward mish mish_backward silu silu_backward softplus softplus_backward"
        ),
        "of": "celu celu_ selu selu_",
    },
    "elementwise.rectifiers": {
        "mof": "hardshrink prelu",
        "o": (
            "_prelu_kernel_backward hardshrink_backward hardtanh hardtanh_backward leaky_relu "
            "leaky_relu_ leaky_relu_backward softshrink softshrink_backward"
        ),
        "of": "_prelu_kernel",
    },
    "losses.loss": {
        "o": (
            "binary_cross_entropy binary_cross_entropy_backward binary_cross_entropy_with_logits "
            "huber_loss huber_loss_backward mse_loss mse_loss_backward smooth_l1_loss "
            "smooth_l1_loss_backward"
        ),
    },
    "losses.likelihood": {
        "o": (
            "cross_entropy_loss nll_loss2d_backward nll_loss2d_forward nll_loss_backward "
            "nll_loss_forward nll_loss_nd"
        ),
    },
    "losses.margin_losses": {
        "o": (
            "multi_margin_loss multi_margin_loss_backward multilabel_margin_loss_backward "
            "multilabel_margin_loss_forward soft_margin_loss soft_margin_loss_backward"
        ),
    },
    "losses.ctc": {
        "o": "_ctc_loss_Tensor _ctc_loss_backward _ctc_loss_backward_Tensor",
        "of": "_ctc_loss ctc_loss",
    },
    "losses.distances": {
        "f": "binary_cross_entropy_with_logits",
        "o": "_cdist_backward _cdist_forward _pdist_backward _pdist_forward",
        "of": (
            "_euclidean_dist cdist cosine_embedding_loss cosine_similarity hinge_embedding_loss "
            "kl_div margin_ranking_loss pairwise_distance pdist poisson_nll_loss "
            "triplet_margin_loss"
        ),
    },
    "layers.pooling": {
        "o": (
            "avg_pool2d avg_pool2d_backward avg_pool3d avg_pool3d_backward max_pool2d_with_indices "
            "max_pool2d_with_indices_backward max_pool3d_with_indices "
            "max_pool3d_with_indices_backward"
        ),
        "of": "avg_pool1d max_pool1d max_pool1d_with_indices max_pool2d max_pool3d",
    },
    "layers.dropout": {
        "o": (
            "native_dropout_backward rrelu_with_noise rrelu_with_noise_ rrelu_with_noise_backward"
        ),
        "of": (
            "alpha_dropout alpha_dropout_ dropout dropout_ feature_alpha_dropout "
            "feature_alpha_dropout_ feature_dropout feature_dropout_ native_dropout rrelu rrelu_"
        ),
    },
    "layers.adaptive_pooling": {
        "o": (
            "_adaptive_avg_pool2d_backward _adaptive_avg_pool3d_backward adaptive_max_pool2d "
            "adaptive_max_pool2d_backward adaptive_max_pool3d adaptive_max_pool3d_backward "
            "fractional_max_pool2d fractional_max_pool2d_backward fractional_max_pool3d "
            "fractional_max_pool3d_backward max_unpool2d max_unpool3d"
        ),
        "of": "_adaptive_avg_pool2d _adaptive_avg_pool3d adaptive_avg_pool1d adaptive_max_pool1d",
    },
    "layers.upsampling": {
        "o": (
            "_upsample_bicubic2d_aa _upsample_bicubic2d_aa_backward _upsample_bicubic2d_aa_vec "
            "_upsample_bilinear2d_aa _upsample_bilinear2d_aa_backward _upsample_bilinear2d_aa_vec "
            "_upsample_lanczos2d_aa _upsample_lanczos2d_aa_backward _upsample_lanczos2d_aa_vec "
            "_upsample_nearest_exact1d _upsample_nearest_exact1d_backward "
            "_upsample_nearest_exact1d_vec _upsample_nearest_exact2d "
            "_upsample_nearest_exact2d_backward _upsample_nearest_exact2d_vec "
            "_upsample_nearest_exact3d _upsample_nearest_exact3d_backward "
            "_upsample_nearest_exact3d_vec upsample_bicubic2d upsample_bicubic2d_backward "
            "upsample_bicubic2d_vec upsample_bilinear2d upsample_bilinear2d_backward "
            "upsample_bilinear2d_vec upsample_linear1d upsample_linear1d_backward "
            "upsample_linear1d_vec upsample_nearest1d upsample_nearest1d_backward "
            "upsample_nearest1d_vec upsample_nearest2d upsample_nearest2d_backward "
            "upsample_nearest2d_vec upsample_nearest3d upsample_nearest3d_backward "
            "upsample_nearest3d_vec upsample_trilinear3d upsample_trilinear3d_backward "
            "upsample_trilinear3d_vec"
        ),
    },
    "layers.folding": {
        "o": "col2im im2col",
        "of": "channel_shuffle native_channel_shuffle pixel_shuffle pixel_unshuffle",
    },
    "layers.grid_sampling": {
        "o": "grid_sampler_2d_backward grid_sampler_3d_backward",
        "of": "affine_grid_generator grid_sampler grid_sampler_2d grid_sampler_3d",
    },
    "layers.normalization": {
        "o": "native_batch_norm_backward native_group_norm_backward native_layer_norm_backward",
        "of": (
            "batch_norm group_norm instance_norm layer_norm native_batch_norm native_group_norm "
            "native_layer_norm rms_norm"
        ),
    },
    "layers.batch_norms": {
        "o": "_batch_norm_with_update _native_batch_norm_legit_no_stats batch_norm_backward",
        "of": "_native_batch_norm_legit batch_norm_update_stats",
    },
    "layers.attention": {
        "o": "_scaled_dot_product_flash_attention_for_cpu_backward scaled_dot_product_attention",
        "of": "_scaled_dot_product_flash_attention_for_cpu",
    },
    "shape.view_copies": {
        "mof": "narrow_copy",
        "o": (
            "select_copy_int slice_copy_Tensor split_copy_Tensor squeeze_copy_dim "
            "squeeze_copy_dims transpose_copy_int unbind_copy_int"
        ),
        "of": (
            "alias_copy as_strided_copy detach_copy expand_copy permute_copy select_copy "
            "slice_copy split_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy "
            "unbind_copy unfold_copy unsqueeze_copy view_as_complex_copy view_as_real_copy "
            "view_copy"
        ),
    },
    "shape.duals": {
        "of": "_make_dual _unpack_dual",
    },
    "removed": {
        "mo": "reinforce resize resize_as",
        "mof": "eig lstsq solve symeig",
        "of": "matrix_rank",
    },
    "assertions": {
        "of": "_assert_async _assert_scalar _assert_tensor_metadata",
    },
    "nested": {
        "mo": (
            "_nested_tensor_size _nested_tensor_storage_offsets _nested_tensor_strides "
            "to_padded_tensor"
        ),
    },
    "layers.sequence_packing": {
        "o": "_pack_padded_sequence_backward pad_sequence",
        "of": "_pack_padded_sequence _pad_packed_sequence",
    },
    "layers.quantization": {
        "o": (
            "fake_quantize_per_channel_affine_cachemask fake_quantize_per_tensor_affine_cachemask"
        ),
        "of": (
            "_fake_quantize_per_tensor_affine_cachemask_tensor_qparams choose_qparams_optimized "
            "fake_quantize_per_channel_affine fake_quantize_per_tensor_affine"
        ),
    },
    "layers.learned_quantization": {
        "o": (
            "_fake_quantize_learnable_per_channel_affine_backward "
            "_fake_quantize_learnable_per_tensor_affine_backward"
        ),
        "of": (
            "_choose_qparams_per_tensor _fake_quantize_learnable_per_channel_affine "
            "_fake_quantize_learnable_per_tensor_affine _fused_moving_avg_obs_fq_helper "
            "fused_moving_avg_obs_fake_quant"
        ),
    },
    "layers.time_convolution": {
        "of": "conv_tbc",
    },
    "layers.recurrent": {
        "o": "mkldnn_rnn_layer_backward",
        "of": (
            "gru gru_cell lstm lstm_cell mkldnn_rnn_layer rnn_relu rnn_relu_cell rnn_tanh "
            "rnn_tanh_cell"
        ),
    },
    "other_backends": {
        "mo": "qscheme record_stream",
        "mof": (
            "int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale "
            "q_zero_point slice_inverse"
        ),
        "of": (
            "ccol_indices_copy col_indices_copy crow_indices_copy indices_copy native_norm "
            "row_indices_copy values_copy"
        ),
    },
}

// Undefines the names of simd128.h or simd256.h, so that a file can be included once with each.
//
// The code works for both widths because unpacking and packing stay inside 16-byte blocks: packing restores
// the order that unpacking changed.

#undef KF_NAME
#undef KF_TARGET
#undef V
#undef V_BYTES
#undef V_BLOCKS
#undef v_load
#undef v_store
#undef v_load_quads
#undef v_add_blocks
#undef v_low_blocks
#undef v_high_blocks
#undef v_zero
#undef v_set8
#undef v_set16
#undef v_set32
#undef v_set64
#undef v_sub8
#undef v_adds8
#undef v_subs8
#undef v_min8
#undef v_average8
#undef v_equal8
#undef v_sum8
#undef v_add16
#undef v_sub16
#undef v_add32
#undef v_sub32
#undef v_min16
#undef v_greater32
#undef v_add64
#undef v_and
#undef v_and_not
#undef v_xor
#undef v_or
#undef v_madd16
#undef v_mullo16
#undef v_mulhi16
#undef v_shift_right16
#undef v_shift_right32
#undef v_low8
#undef v_high8
#undef v_low16
#undef v_high16
#undef v_pack32
#undef v_pack16
#undef v_shuffle_low16
#undef v_shuffle_high16
#undef v_shuffle32
#undef v_pixels_low
#undef v_pixels_high
#undef v_difference8
#undef v_shift_right_zero32
#undef v_shift_left32

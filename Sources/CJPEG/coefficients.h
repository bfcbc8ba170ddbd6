#pragma once

#include <stddef.h>
#include <stdio.h>

#include <jpeglib.h>

/// Where the coefficients of one image are kept until its last scan was read.
typedef struct {
    struct coefficient_array *arrays;
    void *memory;
    size_t size;
} coefficient_store;

/// Has libjpeg keep the coefficients of `info`, which was just created, in `store`, which is empty.
///
/// Uses `info->client_data`. What `store` holds in the end is the caller's to give back, after `info` was
/// destroyed.
void kf_keep_coefficients(j_decompress_ptr info, coefficient_store *store);

void kf_free_coefficients(coefficient_store *store);

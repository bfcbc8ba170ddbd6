// -std=c11 hides MAP_ANONYMOUS and madvise, which are Linux extensions.
#define _DEFAULT_SOURCE
#include "coefficients.h"

#include <sys/mman.h>

#include <jerror.h>

// libjpeg holds all coefficients of a file with several scans, 24 to 72 MB for 12 megapixels, in memory from
// malloc. Page faults of 4 KB pages then take most of the time of a thumbnail. libjpeg accesses these arrays
// through function pointers in its memory manager; this file replaces them and uses one block, in huge pages
// if available. A new block is zeroed, as libjpeg requires.

struct coefficient_array {
    struct coefficient_array *next;
    JDIMENSION blocks_in_row;
    JDIMENSION rows;
    /// NULL until `realize` has allocated the memory.
    JBLOCKARRAY row;
};

static coefficient_store *store_of(j_common_ptr info) { return info->client_data; }

static jvirt_barray_ptr request(
    j_common_ptr info, int pool, boolean zeroed, JDIMENSION blocks_in_row, JDIMENSION rows,
    JDIMENSION rows_at_once
) {
    (void)pool, (void)zeroed, (void)rows_at_once;
    struct coefficient_array *array = info->mem->alloc_small(info, JPOOL_IMAGE, sizeof *array);
    *array = (struct coefficient_array){
        .next = store_of(info)->arrays, .blocks_in_row = blocks_in_row, .rows = rows};
    store_of(info)->arrays = array;
    return (jvirt_barray_ptr)array;
}

/// libjpeg-turbo calls this once per decoded image, after its last request. An array requested later has no
/// rows, and reading it is an error.
static void realize(j_common_ptr info) {
    coefficient_store *store = store_of(info);
    size_t size = 0;
    for (struct coefficient_array *array = store->arrays; array; array = array->next) {
        size += (size_t)array->blocks_in_row * array->rows * sizeof(JBLOCK);
    }
    if (size == 0 || store->memory) return;
    if (size > (size_t)info->mem->max_memory_to_use) ERREXIT(info, JERR_NO_BACKING_STORE);
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) ERREXIT1(info, JERR_OUT_OF_MEMORY, 0);
    store->memory = memory;
    store->size = size;
    // Optional: ordinary pages work as well.
    madvise(memory, size, MADV_HUGEPAGE);
    JBLOCKROW next = memory;
    for (struct coefficient_array *array = store->arrays; array; array = array->next) {
        array->row = info->mem->alloc_large(info, JPOOL_IMAGE, array->rows * sizeof(JBLOCKROW));
        for (JDIMENSION i = 0; i < array->rows; i++, next += array->blocks_in_row) array->row[i] = next;
    }
}

static JBLOCKARRAY access_rows(
    j_common_ptr info, jvirt_barray_ptr pointer, JDIMENSION start, JDIMENSION rows, boolean writable
) {
    (void)writable;
    struct coefficient_array *array = (struct coefficient_array *)pointer;
    if (!array->row || start > array->rows || rows > array->rows - start) {
        ERREXIT(info, JERR_BAD_VIRTUAL_ACCESS);
    }
    return array->row + start;
}

void kf_keep_coefficients(j_decompress_ptr info, coefficient_store *store) {
    info->client_data = store;
    info->mem->request_virt_barray = request;
    info->mem->realize_virt_arrays = realize;
    info->mem->access_virt_barray = access_rows;
}

void kf_free_coefficients(coefficient_store *store) {
    if (store->memory) munmap(store->memory, store->size);
}

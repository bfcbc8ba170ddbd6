import CCurl

/// What the C allocator keeps of freed memory.
package enum AllocatorMemory {
    /// Gives it back to the system. Takes milliseconds for each gigabyte, and locks each of the allocator's
    /// arenas meanwhile: for times without load.
    package static func trim() { kf_return_freed_memory() }
}

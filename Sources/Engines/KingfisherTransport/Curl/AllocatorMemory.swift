import CCurl

package enum AllocatorMemory {
    /// Gives freed memory back to the system. Takes milliseconds per gigabyte and locks the allocator's
    /// arenas one after another, so call it when there is no load.
    package static func trim() { kf_return_freed_memory() }
}

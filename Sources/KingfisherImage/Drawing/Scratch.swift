/// Memory that one drawing call works in: zeroed, 64-byte aligned, gone when the call is over.
struct Scratch: ~Copyable {
    let bytes: UnsafeMutablePointer<UInt8>

    init(byteCount: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 1), alignment: 64)
        bytes = memory.initializeMemory(as: UInt8.self, repeating: 0, count: max(byteCount, 1))
    }

    func samples<Sample>(as type: Sample.Type) -> UnsafeMutablePointer<Sample> {
        UnsafeMutableRawPointer(bytes).assumingMemoryBound(to: Sample.self)
    }

    deinit {
        UnsafeMutableRawPointer(bytes).deallocate()
    }
}

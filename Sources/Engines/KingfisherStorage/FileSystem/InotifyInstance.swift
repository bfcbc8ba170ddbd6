import Dispatch
import Glibc

/// An inotify descriptor whose events are handled as they come.
final class InotifyInstance: Sendable {
    let descriptor: CInt
    // Safe from any thread, but not marked so.
    nonisolated(unsafe) private let source: any DispatchSourceRead

    /// Nil if the user has too many. `handle` gets buffers of whole events on `queue`.
    init?(on queue: DispatchQueue, _ handle: @escaping @Sendable (UnsafeRawBufferPointer) -> Void) {
        guard let descriptor = Self.open() else { return nil }
        self.descriptor = descriptor
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            // The rest causes another call.
            withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 8) { buffer in
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 { handle(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            }
        }
        source.setCancelHandler { _ = close(descriptor) }
        source.resume()
    }

    deinit { source.cancel() }

    static func open() -> CInt? {
        let descriptor = inotify_init1(CInt(O_NONBLOCK) | CInt(O_CLOEXEC))
        return descriptor < 0 ? nil : descriptor
    }

    /// Calls `body` with each event that was read from a descriptor, and the name that it is about.
    static func forEach(
        in events: UnsafeRawBufferPointer, _ body: (inotify_event, _ name: UnsafeRawBufferPointer) -> Void
    ) {
        let headLength = MemoryLayout<inotify_event>.size
        var offset = 0
        while offset + headLength <= events.count {
            let event = events.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let padded = UnsafeRawBufferPointer(
                rebasing: events[offset + headLength..<offset + headLength + Int(event.len)])
            offset += headLength + Int(event.len)
            // Padded with zeros.
            body(
                event, UnsafeRawBufferPointer(rebasing: padded[..<(padded.firstIndex(of: 0) ?? padded.count)])
            )
        }
    }
}

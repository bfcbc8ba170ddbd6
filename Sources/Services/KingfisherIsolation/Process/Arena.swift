import CSandbox
import Foundation
import Glibc
import KingfisherImage

/// The parent's side of the memory that it shares with a decoder: never mapped, only read and written by
/// system calls.
///
/// So a decoder that changes bytes while they are read changes nothing but these bytes, every byte is read
/// once, and nothing that a decoder does to the memory can raise a signal here. The memory cannot shrink.
///
/// Unchecked: used by the thread that has the lease of the process.
final class Arena: @unchecked Sendable {
    /// The limit of file, arguments and output together. The output begins at the next page boundary.
    static let maximumBytes = 4 << 30
    /// What stays allocated between two files, or more for a larger file.
    static let retainedBytes = 64 << 20
    /// Small files and thumbnails fit without a change of size.
    private static let initialBytes = 4 << 20
    private static let step = 1 << 20

    let descriptor: Int32
    private(set) var count: Int

    init() throws(DecoderFault) {
        descriptor = kf_sandbox_create_arena()
        guard descriptor >= 0 else { throw .unavailable("no shared memory: \(Self.lastError)") }
        count = 0
        do throws(DecoderFault) {
            try grow(to: Self.initialBytes)
        } catch {
            close(descriptor)
            throw error
        }
    }

    deinit { close(descriptor) }

    private static var lastError: String { String(cString: strerror(errno)) }

    /// Makes room for `count` bytes; throws `tooMuchMemory` above the limit of an arena.
    func grow(to count: Int) throws(DecoderFault) {
        guard count > self.count else { return }
        guard count <= Self.maximumBytes else { throw .codec(.tooMuchMemory) }
        let rounded = (count + Self.step - 1) & ~(Self.step - 1)
        guard ftruncate(descriptor, rounded) == 0 else { throw .codec(.outOfMemory) }
        self.count = rounded
    }

    /// Gives pages above what is retained and above the file back to the system.
    func trim(keeping fileCount: Int) {
        let retained = max(Self.retainedBytes, fileCount)
        guard count > retained else { return }
        _ = kf_sandbox_release_arena(descriptor, off_t(retained))
    }

    /// Copies bytes into the arena.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(DecoderFault) {
        var done = 0
        while done < bytes.count {
            let written = pwrite(
                descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw .codec(.outOfMemory) }
            done += written
        }
    }

    func write(_ bytes: [UInt8], at offset: Int) throws(DecoderFault) {
        try bytes.span.withUnsafeBytes { bytes throws(DecoderFault) in try write(bytes, at: offset) }
    }

    /// Copies bytes out of the arena.
    func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) throws(DecoderFault) {
        var done = 0
        while done < bytes.count {
            let read = pread(
                descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(offset + done))
            if read < 0, errno == EINTR { continue }
            guard read > 0 else { throw .failure(.violatedProtocol("a result is outside of the arena")) }
            done += read
        }
    }

    /// Pixels of a shape that has been checked. The rows are copied once.
    func pixels(_ shape: PixelShape, at offset: Int) throws(DecoderFault) -> PixelBuffer {
        var fault: DecoderFault?
        do throws(ImageCodecError) {
            return try PixelBuffer.decoding(shape.size, format: shape.format, extent: shape.extent) {
                rows, bytesPerRow throws(ImageCodecError) in
                guard bytesPerRow * shape.size.height == shape.byteCount else { throw .emptyImage }
                do throws(DecoderFault) {
                    let room = UnsafeMutableRawBufferPointer(start: rows, count: shape.byteCount)
                    try read(into: room, at: offset)
                } catch {
                    fault = error
                    throw .emptyImage
                }
            }
        } catch {
            throw fault ?? .codec(error)
        }
    }

    /// A copy of `count` bytes of the arena.
    func bytes(at offset: Int, count: Int) throws(DecoderFault) -> [UInt8] {
        var fault: DecoderFault?
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            do throws(DecoderFault) {
                let room = UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count)
                try read(into: room, at: offset)
                initialized = count
            } catch {
                fault = error
            }
        }
        if let fault { throw fault }
        return bytes
    }
}

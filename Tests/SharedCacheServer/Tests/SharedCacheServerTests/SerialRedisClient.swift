import Foundation
import Glibc
import KingfisherSharedCache

/// An example of another client behind `RedisClient`, in 50 lines: one connection, one command at a time, and
/// the C library instead of SwiftNIO. It needs only public API, and no package trait.
///
/// Unchecked: the streams are used on the queue only, so that a blocking read holds no thread of Swift's
/// pool.
final class SerialRedisClient: RedisClient, @unchecked Sendable {
    private let queue = DispatchQueue(label: "redis")
    private let input: UnsafeMutablePointer<FILE>
    private let output: UnsafeMutablePointer<FILE>

    /// - Parameter descriptor: A connected socket, which the client closes.
    init?(descriptor: Int32) {
        guard let input = fdopen(descriptor, "r"), let output = fdopen(dup(descriptor), "w") else {
            return nil
        }
        (self.input, self.output) = (input, output)
    }

    deinit {
        fclose(input)
        fclose(output)
    }

    func send(_ command: RedisCommand) async throws(RedisError) -> RESPValue {
        let result: Result<RESPValue, RedisError> = await withCheckedContinuation { continuation in
            queue.async {
                let bytes = command.encoded
                fwrite(bytes, 1, bytes.count, self.output)
                fflush(self.output)
                continuation.resume(returning: self.reply())
            }
        }
        return try result.get()
    }

    /// Reads a reply of RESP2. The tier's commands have no arrays as replies.
    private func reply() -> Result<RESPValue, RedisError> {
        var buffer = [CChar](repeating: 0, count: 4096)
        guard fgets(&buffer, Int32(buffer.count), input) != nil else {
            return .failure(.unreachable("closed"))
        }
        let line = String(decoding: buffer.prefix { $0 != 0 && $0 != 13 }.map(UInt8.init), as: UTF8.self)
        let text = String(line.dropFirst())
        switch line.first {
        case "+": return .success(.text(text))
        case "-": return .failure(.server(text))
        case ":": return Int64(text).map { .success(.integer($0)) } ?? .failure(.malformedReply(line))
        case "$":
            guard let count = Int(text), count >= 0, count <= 9 << 20 else { return .success(.null) }
            var bytes = Data(count: count + 2)
            let read = bytes.withUnsafeMutableBytes { fread($0.baseAddress, 1, $0.count, input) }
            return read == count + 2 ? .success(.bytes(bytes.dropLast(2))) : .failure(.unreachable("closed"))
        default: return .failure(.malformedReply(line))
        }
    }
}

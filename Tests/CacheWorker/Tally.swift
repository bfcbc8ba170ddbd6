import Foundation
import Synchronization

/// The counters of a worker. They are in a mapped file, so they survive any exit of the process, and
/// other processes can read them.
enum Tally: Int, CaseIterable {
    /// Completed operations of all kinds.
    case operations
    case hits, misses
    /// Reads that returned bytes that were never written: through the engine, and of the file itself.
    case tornHits, tornFiles
    /// Calls that threw.
    case failures

    private static var length: Int { allCases.count * MemoryLayout<UInt64>.size }

    /// The numbers in a file, all zero if it does not exist yet.
    static func read(_ path: String) -> [Tally: Int] {
        let content = (try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data()
        guard content.count == length else { return [:] }
        return content.withUnsafeBytes { bytes in
            Dictionary(
                uniqueKeysWithValues: allCases.map {
                    ($0, Int(bytes.load(fromByteOffset: $0.rawValue * 8, as: UInt64.self)))
                })
        }
    }

    /// The mapped file, for the process that counts.
    ///
    /// Unchecked because of the pointer: its memory is never unmapped and changes atomically.
    struct Counters: @unchecked Sendable {
        private let numbers: UnsafeMutablePointer<Atomic<UInt64>>

        init(_ path: String) throws {
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
            guard file >= 0, ftruncate(file, length) == 0,
                let address = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
                address != MAP_FAILED
            else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
            close(file)
            numbers = address.bindMemory(to: Atomic<UInt64>.self, capacity: allCases.count)
        }

        func count(_ event: Tally) {
            numbers[event.rawValue].wrappingAdd(1, ordering: .relaxed)
        }
    }
}

import CMapping
package import Foundation
import Glibc
import Synchronization

/// A private mapping of a whole file. Its bytes are in the kernel's page cache, not in the memory of this
/// process.
///
/// If the file becomes shorter or its disk fails, the missing bytes read as zeros, at least in the first 256
/// mappings of the process.
///
/// `of(_:)` finds the mapping of a `Data` again, after layers that pass on plain data: the storage then moves
/// the file of a body into place instead of writing a copy, and a memory budget does not count the bytes.
/// Safe from any thread.
// Unchecked: the address is constant, and only the owner of the data changes the pages.
package final class FileMapping: @unchecked Sendable {
    private let address: UnsafeMutableRawPointer
    private let count: Int
    /// Nil for a file that is already in its place.
    private let body: BodyFile?
    /// Of its protection against SIGBUS; negative if there is none.
    private let protection: CInt

    private static let mappings = Mutex<[UInt: Unmanaged<FileMapping>]>([:])

    /// Maps the first `count` bytes of a file, which must be more than zero.
    init(
        _ file: borrowing FileDescriptor, count: Int, of body: BodyFile? = nil, _ fileSystem: FileSystem
    ) throws(SystemError) {
        address = try fileSystem.map(file, count: count)
        self.count = count
        self.body = body
        protection = kf_mapping_protect(address, count)
        Self.mappings.withLock { $0[UInt(bitPattern: address)] = Unmanaged.passUnretained(self) }
    }

    deinit {
        // Before the address can be reused.
        Self.mappings.withLock { $0[UInt(bitPattern: address)] = nil }
        kf_mapping_release(protection)
        munmap(address, count)
    }

    /// The bytes. The mapping lives as long as they do.
    var data: Data {
        Data(
            bytesNoCopy: address, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} }
        )
    }

    /// The same; nil if it is not protected against SIGBUS, because too many mappings are.
    var protectedData: Data? { protection < 0 ? nil : data }

    /// The mapping that `data` is, as a whole.
    package static func of(_ data: Data) -> FileMapping? {
        guard let start = data.withUnsafeBytes({ $0.baseAddress }) else { return nil }
        // The data keeps its mapping alive during this call.
        return withExtendedLifetime(data) {
            mappings.withLock { mappings in
                let mapping = mappings[UInt(bitPattern: start)]?.takeUnretainedValue()
                return mapping?.count == data.count ? mapping : nil
            }
        }
    }

    /// Gives the pages back to the kernel, which reads them from the file again when they are used. The bytes
    /// must be equal to the bytes of the file, and no caller may change them during the call.
    func releasePages() { madvise(address, count, MADV_DONTNEED) }

    /// The file of a body whose bytes are all in this mapping.
    var wholeBody: BodyFile? { body?.count == count ? body : nil }

    /// The bytes in memory that the kernel cannot reclaim: all of a body on tmpfs.
    package var residentBytes: Int { body?.isInMemory == true ? count : 0 }
}

import Foundation
import Synchronization

/// Accesses that the files' times do not tell yet.
///
/// Every read would cost a system call more; gathered, it is one for each file and second. Operations of the
/// same engine count an access from the moment it is noted, those of other processes from the moment it is
/// written.
final class PendingAccesses: Sendable {
    struct Access: Sendable {
        /// The file as it was when it was read: what stands under the name later may be another one.
        let device: UInt64
        let inode: UInt64
        let modified: Date
        /// When it was used last.
        let accessed: Date
        /// The expiry from now on; nil leaves it.
        let expires: Date?
        /// What the file's attribute said, where a later change of it could not go unnoticed.
        let attribute: SeenAttribute?

        func isOf(_ status: FileStatus) -> Bool {
            device == status.device && inode == status.inode && modified == status.modified
        }

        /// What the attribute of this file says, as far as that is known without reading it.
        func reading(of status: FileStatus) -> EntryAttribute.Reading? {
            isOf(status) ? attribute?.reading(of: status) : nil
        }
    }

    /// As many accesses wait at most.
    static let capacity = 16_384

    private let accesses = Mutex<[EntryName: Access]>([:])
    /// Spares whoever looks the lock, as most of the time nothing waits.
    private let count = Atomic(0)

    /// Notes an access in place of an earlier one; false when too many wait.
    func note(_ access: Access, of name: EntryName) -> Bool {
        accesses.withLock { accesses in
            guard accesses.updateValue(access, forKey: name) == nil else { return true }
            guard accesses.count <= Self.capacity else {
                accesses[name] = nil
                return false
            }
            count.store(accesses.count, ordering: .relaxed)
            return true
        }
    }

    /// The access of the file that stands under a name, if one waits.
    func access(of name: EntryName) -> Access? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return accesses.withLock { $0[name] }
    }

    func forget(_ name: EntryName) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        accesses.withLock { accesses in
            accesses[name] = nil
            count.store(accesses.count, ordering: .relaxed)
        }
    }

    func forgetAll() {
        accesses.withLock { accesses in
            accesses = [:]
            count.store(0, ordering: .relaxed)
        }
    }

    var names: [EntryName] { accesses.withLock { Array($0.keys) } }
}

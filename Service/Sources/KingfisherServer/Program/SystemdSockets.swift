import Foundation
import Glibc

/// Listening sockets that systemd has opened for this program (sd_listen_fds(3)).
struct SystemdSockets {
    struct Failure: Error, Equatable, CustomStringConvertible { let description: String }

    /// The number of the first descriptor, SD_LISTEN_FDS_START.
    private let first: Int32
    /// The names of the descriptors, in their order; empty without `FileDescriptorName=`.
    private let names: [String]

    /// The sockets of this process.
    static func passed() throws(Failure) -> SystemdSockets {
        try SystemdSockets(ProcessInfo.processInfo.environment, process: getpid())
    }

    init(_ environment: [String: String], process: pid_t, first: Int32 = 3) throws(Failure) {
        guard let count = environment["LISTEN_FDS"], let owner = environment["LISTEN_PID"] else {
            throw Failure(
                description: "There is no socket of systemd: LISTEN_FDS and LISTEN_PID are not set. "
                    + "Start kingfisher-server.socket.")
        }
        guard pid_t(owner) == process else {
            throw Failure(description: "The sockets of systemd are for process \(owner), not for this one.")
        }
        guard let count = Int(count), (1...256).contains(count) else {
            throw Failure(description: "LISTEN_FDS, \(count), is not a number from 1 to 256.")
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(
            separator: ":", omittingEmptySubsequences: false)
        self.first = first
        self.names = (0..<count).map { $0 < names.count ? String(names[$0]) : "" }
    }

    /// The socket for a setting: the one with its name; for `listen` otherwise the only one with another name
    /// than `admin-listen`. Other programs that this one starts do not get it.
    func descriptor(named name: String) throws(Failure) -> Int32 {
        var found = names.indices.filter { names[$0] == name }
        if found.isEmpty, name == "listen" { found = names.indices.filter { names[$0] != "admin-listen" } }
        guard found.count == 1, let index = found.first else {
            let count = found.isEmpty ? "None" : "More than one"
            throw Failure(
                description: "\(count) of the sockets of systemd is for \(name): set FileDescriptorName=.")
        }
        let descriptor = first + Int32(index)
        guard
            Self.option(SO_ACCEPTCONN, of: descriptor) == 1,
            Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue)
        else {
            throw Failure(
                description: "Descriptor \(descriptor), which systemd passes for \(name), "
                    + "is not a listening stream socket: set ListenStream= and Accept=no.")
        }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }

    private static func option(_ name: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }
}

import CCurl
import Glibc

extension TransportError {
    /// The lack of a descriptor, if there is one now: for calls that fail by it without saying so.
    static var descriptorShortage: TransportError? {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        return TransportError(noDescriptor: errno)
    }

    /// The failure that the lack of a descriptor comes to; nil for an `errno` that says something else.
    init?(noDescriptor error: CInt) {
        switch error {
        case EMFILE:
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            self = .io(
                "the process has no file descriptor left of \(limit.rlim_cur); raise its limit "
                    + "(ulimit -n, LimitNOFILE= of a service) or run fewer transfers at a time")
        case ENFILE:
            self = .io("the system has no file descriptor left; raise fs.file-max or close files")
        default: return nil
        }
    }
}

import CCurl
import Glibc

extension TransportError {
    /// The error if no file descriptor is available now. For calls that do not report this cause.
    static var descriptorShortage: TransportError? {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor < 0 else {
            close(descriptor)
            return nil
        }
        return TransportError(noDescriptor: errno)
    }

    init?(noDescriptor error: CInt) {
        switch error {
        case EMFILE:
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            self = .io(
                "the process has no file descriptor left (limit \(limit.rlim_cur)); raise the limit "
                    + "(ulimit -n, or LimitNOFILE= of a service) or run fewer transfers at a time")
        case ENFILE:
            self = .io("the system has no file descriptor left; raise fs.file-max or close files")
        default: return nil
        }
    }
}

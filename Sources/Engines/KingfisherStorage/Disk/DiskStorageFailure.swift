package enum DiskStorageFailure: Error, Equatable {
    /// The cache folder could not be made when the storage was prepared.
    case notReady(path: String)
    case cannotCreateDirectory(path: String, SystemError)
    case cannotCreateFile(path: String, SystemError)
    /// The attribute or the times of a new file could not be set. The file was removed.
    case cannotSetAttribute(path: String, SystemError)
    /// The file exists but cannot be read.
    case cannotLoad(path: String, SystemError)
    /// The file was opened, but its metadata cannot be read.
    case invalidResource(path: String, SystemError)
    case cannotEnumerate(path: String, SystemError)
    case cannotRemove(path: String, SystemError)
}

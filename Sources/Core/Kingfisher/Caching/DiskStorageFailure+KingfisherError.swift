import Foundation
import KingfisherStorage

extension DiskStorageFailure {
    /// The error that the public storage throws. A failed removal throws the system's error.
    func publicError(key: String, data: Data, directory: URL) -> any Error {
        func url(_ path: String) -> URL { URL(fileURLWithPath: path) }
        switch self {
        case .cannotRemove(_, let error): return error
        case .notReady:
            return KingfisherError.cacheError(reason: .diskStorageIsNotReady(cacheURL: directory))
        case .cannotCreateDirectory(let path, let error):
            return KingfisherError.cacheError(reason: .cannotCreateDirectory(path: path, error: error))
        case .cannotCreateFile(let path, let error):
            return KingfisherError.cacheError(
                reason: .cannotCreateCacheFile(fileURL: url(path), key: key, data: data, error: error))
        case .cannotSetAttribute(let path, let error):
            return KingfisherError.cacheError(
                reason: .cannotSetCacheFileAttribute(filePath: path, attributes: [:], error: error))
        case .cannotLoad(let path, let error):
            return KingfisherError.cacheError(
                reason: .cannotLoadDataFromDisk(url: url(path), error: error))
        case .invalidResource(let path, let error):
            return KingfisherError.cacheError(
                reason: .invalidURLResource(error: error, key: key, url: url(path)))
        case .cannotEnumerate(let path, _):
            return KingfisherError.cacheError(reason: .fileEnumeratorCreationFailed(url: url(path)))
        }
    }
}

import Foundation

/// A look at the disk by the manager: equal ones find the same picture.
///
/// A file that this cache has changed meanwhile is another one, so that a request sees what was stored before
/// it.
struct DiskReading: Hashable, Sendable {
    let computedKey: ExactText
    let version: UInt64
    let forcedExtension: ExactText?
    let serializer: ValueIdentity
    let variant: PictureVariant
    let extending: Extending

    /// What reading does to the expiration of the file.
    enum Extending: Hashable {
        case nothing, cacheTime
        case lifetime(Lifetime)

        init(_ extending: ExpirationExtending) {
            self =
                switch extending {
                case .none: .nothing
                case .cacheTime: .cacheTime
                case .expirationTime(let expiration): .lifetime(Lifetime(expiration))
                }
        }
    }
}

/// What a look at the disk came to.
enum DiskFinding: Sendable {
    case picture(KFCrossPlatformImage)
    /// Somebody had put the picture into memory before the disk was asked.
    case inMemory(KFCrossPlatformImage)
    case nothing
    /// There is no memory to decode it in.
    case refused(KingfisherError)
}

/// An original that a cache has, to make pictures of.
enum OriginalIdentity: Hashable, Sendable {
    case onDisk(key: ExactText, version: UInt64, forcedExtension: ExactText?, DiskReading.Extending)
    /// The picture is held by who works on it, so no other can have its address.
    case inMemory(ObjectIdentifier)
}

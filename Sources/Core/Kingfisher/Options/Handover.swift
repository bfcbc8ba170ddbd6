import KingfisherConcurrency

/// What a request hands to an open method of a downloader or a cache, which a subclass may override: the
/// subclass passes its options to the superclass's method, which finds it in them.
///
/// Not an option, and not visible to users.
struct Handover: Sendable {
    /// Taken at most once: nil if the subclass calls its superclass a second time.
    var order: Locked<DownloadOrder?>?
    /// For every download of the subclass.
    var observer: (any DownloadObserver)?
    var file = FileUse()
}

/// What becomes of the encoded file of an image that a request stores, besides the disk.
struct FileUse: Sendable {
    /// Whether memory keeps the file instead of the pixels.
    var isKept = false
    /// Called on the queue that writes the file.
    var observer: (@Sendable (EncodedImage) -> Void)?
}

extension KingfisherParsedOptionsInfo {
    func takeOrder() -> DownloadOrder? { values.handover.order?.withLock { $0.take() } ?? nil }

    var keepsEncoded: Bool { values.handover.file.isKept }
}

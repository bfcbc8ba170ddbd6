import Foundation
import KingfisherImage
import KingfisherTransport

/// How an image is made of an original.
extension SourceRetrieval {
    /// Has the image made of a cached original, on the processing queue, and stores and reports it; goes to
    /// the source when the original cannot be read.
    func process(
        _ original: Material, as answer: CachedAnswer, _ freshness: HTTPFreshness?, _ task: DownloadTask
    ) {
        processing(original.item) { [self] in
            guard isWanted else { return finish(.failure(notExisting)) }
            original.make(recipe(of: original.item)) { [self] in
                make(of: original.item)
            } completion: { [self] making in
                guard isWanted else { return finish(.failure(notExisting)) }
                switch making {
                case .made(let image, _) where !isUnchanged(answer):
                    finish(unstored: image)
                case .made(let image, let file):
                    keep(image, original: file, isFresh: false, freshness: freshness)
                case .unreadable: load(task)
                case .refused(let item): fail(processing: item)
                }
            }
        }
    }

    /// The image that the processor makes of `item`; `original` is the file that belongs to it, if known.
    func process(_ item: ImageProcessItem, original: Data?) -> Material.Making {
        options.process(item, of: source.eventName).map { .made($0, original: original) } ?? .refused(item)
    }

    /// What is read from disk is shared only with those who read it by an equal serializer.
    private func recipe(of original: ImageProcessItem) -> Material.Recipe {
        Material.Recipe(
            variant: options.pictureVariant,
            serializer: original.data == nil ? nil : ValueIdentity(options.cacheSerializer))
    }

    private func make(of original: ImageProcessItem) -> Material.Making {
        switch original {
        case .image(let image): process(asked(image), original: image.kf.fileBytes)
        case .data(let data): options.decodingContext.run { make(of: data) }
        }
    }

    /// Makes the image of an original on disk: its serializer decodes it, and the processor gets the image.
    ///
    /// If both are of this package, the processor decodes the file, to the size that it needs. A file of a
    /// format that this package's serializers do not know goes to the user's processor, which may. No other
    /// serializer is passed over: it may be the one that decrypts or verifies the file.
    private func make(of data: Data) -> Material.Making {
        let serializer = options.cacheSerializer
        let readsFiles = serializer is any ImageFileCacheSerializer
        let decodesFile = readsFiles && options.processor.decodesFile(data)
        let made = decodesFile ? process(.data(data), original: data) : .unreadable
        if case .made = made { return made }
        if let image = serializer.image(with: data, options: unprocessed) {
            return process(.image(image), original: readsFiles ? data : image.kf.fileBytes)
        }
        guard readsFiles, !decodesFile, case .made(let image, _) = process(.data(data), original: data) else {
            return .unreadable
        }
        return .made(image, original: data)
    }

    /// An original in memory as its file would give it with these options: it may have been loaded with
    /// others.
    private func asked(_ original: KFCrossPlatformImage) -> ImageProcessItem {
        let unprocessed = unprocessed
        // Frames that were processed are the original here, not what they were made of.
        let material = AnimationMaterial(original, options: unprocessed)
        guard case .bytes? = material, let made = material?.picture(with: unprocessed) else {
            return .image(original.kf.scaled(to: options.scaleFactor))
        }
        return .image(made)
    }

    /// These options for the image before the processor.
    var unprocessed: KingfisherParsedOptionsInfo {
        var unprocessed = options
        unprocessed.processor = DefaultImageProcessor.default
        // That processor keeps the frames it makes, not those it makes them of.
        if options.processor is FramewiseImageProcessor { unprocessed.preloadAllAnimationData = false }
        return unprocessed
    }
}

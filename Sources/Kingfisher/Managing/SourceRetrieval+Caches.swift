import Foundation
import KingfisherImage
import KingfisherTransport

extension SourceRetrieval {
    /// What memory has now; nil for nothing, or if it may not be asked.
    var memoryHit: MemoryHit? { options.forceRefresh ? nil : lookUpMemory() }

    /// Answers with a hit, as far as its server lets it.
    func finish(with hit: MemoryHit, _ task: DownloadTask) {
        use(
            CachedAnswer(place: .target(hit.stored), freshness: freshness(of: hit.stored)) {
                retrieval, _, _ in
                retrieval.hand(hit)
            }, task)
    }

    /// Hands a hit out. An animation that was made another way is made anew, off this thread, if somebody
    /// still waits for it when its turn comes.
    private func hand(_ hit: MemoryHit) {
        switch hit {
        case .ready(let image), .recreated(let image, _):
            finish(with: image)
        case .outdated(let image, let material):
            processing(material.item) { [self] in
                guard isWanted else { return finish(.failure(notExisting)) }
                request.targetCache.recreatedPictures.make(
                    RecreatedPictures.Key(computedKey, image, options.imageCreatingOptions), of: image,
                    with: { [options] in material.picture(with: options) },
                    completion: { [self] in finish(with: $0 ?? image) })
            }
        }
    }

    private func finish(with image: KFCrossPlatformImage) {
        finish(.success(cached(image, .memory)))
    }

    func cached(_ image: KFCrossPlatformImage, _ type: CacheType) -> RetrieveImageResult {
        .cached(image, type, source, for: request.originalSource, options)
    }

    private func lookUpMemory() -> MemoryHit? {
        // A subclass is asked by what it may override, once.
        guard !request.targetCache.isSubclass else { return nil }
        return request.targetCache.memoryHit(forKey: key, options: options)
    }

    func hit(_ image: KFCrossPlatformImage) -> MemoryHit {
        request.targetCache.memoryHit(image, forKey: key, options: options)
    }

    /// Asks the disk, on the cache's lanes or (`loadDiskFileSynchronously`) here.
    func askCaches(_ task: DownloadTask) {
        if request.targetCache.isSubclass {
            askSubclass(task)
        } else if options.fromMemoryCacheOrRefresh {
            askOriginal(task)
        } else if options.readsDiskOnCallersThread {
            guard isWanted else { return finish(.failure(notExisting)) }
            take(readTarget(isWanted: { self.isWanted }), task)
        } else {
            shareTargetRead(task)
        }
    }

    /// Looks at the disk together with whoever wants the same file read in the same way.
    private func shareTargetRead(_ task: DownloadTask) {
        let cache = request.targetCache
        let reading = DiskReading(
            computedKey: ExactText(computedKey), version: cache.traffic.version(of: computedKey),
            forcedExtension: options.forcedExtension.map { ExactText($0) },
            serializer: ValueIdentity(options.cacheSerializer), variant: options.pictureVariant,
            extending: DiskReading.Extending(options.diskCacheAccessExtendingExpiration))
        share(cache.reads, reading) { [self] turn in
            switch turn {
            case .lead(let lead): readTarget(for: lead)
            case .served(let finding):
                cache.lanes.run(key: computedKey) { [self] in take(finding, task) }
            case .wait, .refused: break
            }
        } receive: { [self] finding in
            take(finding, task)
        }
    }

    /// Reads the image in the key's queue. With a memory budget, a file that has to wait for memory is read
    /// once more when there is some (`ticket`): it may be another by then.
    private func readTarget(
        for lead: SharedWorkLead<DiskReading, DiskFinding>, ticket: AdmissionTicket? = nil
    ) {
        request.targetCache.lanes.run(key: computedKey) { [self] in
            var admission = Admission.granted
            // Held until the image is decoded.
            var ticket = ticket
            defer { withExtendedLifetime(ticket) {} }
            let finding =
                lead.isWanted
                ? readTarget(isWanted: { lead.isWanted }) { data in
                    admission = admit(data, for: lead, &ticket)
                    if case .granted = admission { return true }
                    return false
                } : .nothing
            switch (admission, finding) {
            case (.waits, _): break
            case (.refused(let error), _): lead.land(.refused(error), isKept: false)
            // Who comes after a miss looks for itself: another process may have written the file.
            case (.granted, .nothing): lead.land(finding, isKept: false)
            case (.granted, _): lead.land(finding)
            }
        }
    }

    private enum Admission { case granted, waits, refused(KingfisherError) }

    /// Reserves the memory for decoding a file.
    private func admit(
        _ data: Data, for lead: SharedWorkLead<DiskReading, DiskFinding>, _ held: inout AdmissionTicket?
    ) -> Admission {
        do throws(KingfisherError) {
            if held == nil { held = try request.enterAdmission() }
            guard let ticket = held else { return .granted }
            lead.whenAbandoned { [weak ticket] in
                ticket?.withdraw()
                return nil
            }
            let bytes = options.decodingContext.run { ImageCodecs.decodingMemory(of: data) }
            let answer = ticket.reserve(total: bytes) { [self] in readTarget(for: lead, ticket: ticket) }
            return switch answer {
            case .reserved: .granted
            case .waits: .waits
            case .exceedsBudget: .refused(ticket.excess(bytes))
            }
        } catch {
            return .refused(error)
        }
    }

    /// Reads the image from disk, on this thread, unless another request for the same file has put it into
    /// memory. A file that cannot be read is no reason to fail: the source still has the image. One that is
    /// not to be decoded (`admits`) is `nothing`.
    private func readTarget(
        isWanted: @escaping @Sendable () -> Bool, admits: (Data) -> Bool = { _ in true }
    ) -> DiskFinding {
        let cache = request.targetCache
        if let image = cache.memoryStorage.value(forKey: computedKey, extendingExpiration: .none) {
            return .inMemory(image)
        }
        let stored = try? cache.imageOnDisk(
            key, options: options, isCurrent: isWanted, admits: admits
        ).get()
        return stored.flatMap(finishStored).map { .picture($0) } ?? .nothing
    }

    /// With a serializer that keeps original bytes, the disk holds the unprocessed picture.
    func finishStored(_ image: KFCrossPlatformImage) -> KFCrossPlatformImage? {
        guard options.cacheSerializer.originalDataUsed, !options.processor.identifier.isEmpty else {
            return image
        }
        let made = options.decodingContext.run {
            options.processor.process(item: .image(image), options: options)
        }
        guard let picture = made else { return nil }
        let notes = request.targetCache.notes
        notes.note(tags: notes.tags(of: image, forKey: computedKey), of: picture, forKey: computedKey)
        if let freshness = freshness(of: image) {
            request.targetCache.notes.note(freshness, of: picture, forKey: computedKey)
        }
        return picture
    }

    /// Answers with what the disk had, or goes on to the original and the source.
    func take(_ finding: DiskFinding, _ task: DownloadTask) {
        guard isWanted else { return finish(.failure(notExisting)) }
        switch finding {
        case .picture(let image):
            // The first of those who shared the look has put it there.
            if let hit = lookUpMemory() { return finish(with: hit, task) }
            let answer = CachedAnswer(
                place: .target(image), isFromDisk: true, freshness: freshness(of: image)
            ) {
                retrieval, answer, freshness in
                // What its server wants out of caches has just left them.
                if freshness?.isStorable != false, retrieval.isUnchanged(answer) {
                    retrieval.request.targetCache.promote(
                        image, forKey: retrieval.key, options: retrieval.options)
                }
                retrieval.finish(.success(retrieval.cached(image, .disk)))
            }
            use(answer, task)
        case .inMemory(let image):
            finish(with: lookUpMemory() ?? hit(image), task)
        case .refused(let error): finish(.failure(error))
        case .nothing:
            // Since memory was asked, another request may have fetched the picture and be about to write it.
            if let image = pendingImage { return finish(with: hit(image), task) }
            askOriginal(task)
        }
    }

    /// Goes on to the tiers, to the original, if one can be of use, and to the source.
    func askOriginal(_ task: DownloadTask) {
        askTiers(task) { [self] in lookForOriginal(task) }
    }

    private func lookForOriginal(_ task: DownloadTask) {
        guard !options.processor.identifier.isEmpty else { return load(task) }
        if request.originalCache.isSubclass {
            askSubclassForOriginal(task)
        } else if options.fromMemoryCacheOrRefresh {
            askOriginalInMemory(task) { [self] in load(task) }
        } else {
            askOriginalInMemory(task) { [self] in askOriginalOnDisk(task) }
        }
    }

    /// A picture that is about to be written, or was while this request looked for it.
    var pendingImage: KFCrossPlatformImage? {
        request.targetCache.traffic.picture(forKey: computedKey)
    }

    /// What looking again would find: memory comes first there, too.
    var pictureAtHand: KFCrossPlatformImage? {
        request.targetCache.memoryStorage.value(forKey: computedKey, extendingExpiration: .none)
            ?? pendingImage
    }

    /// Whether to look again instead of going to the source, because a picture has come into the cache since
    /// this request looked there, and would do. Says so once for each version of the file: whatever the
    /// second look comes to, what follows it is the source. Runs no code of users.
    func takesAnotherLook() -> Bool {
        guard looksAgain else { return false }
        let cache = request.targetCache
        let isThere =
            if heedsFreshness {
                pictureAtHand.map(isUsable) ?? false
            } else {
                pendingImage != nil || cache.memoryStorage.isCached(forKey: computedKey)
            }
        return isThere && noteLook(at: cache.traffic.version(of: computedKey))
    }

    private func askOriginalInMemory(_ task: DownloadTask, otherwise: () -> Void) {
        guard !options.processor.identifier.isEmpty, !request.originalCache.isSubclass,
            let image = request.originalCache.memoryStorage.value(
                forKey: key, extendingExpiration: options.memoryCacheAccessExtendingExpiration)
        else { return otherwise() }
        shareOriginal(.inMemory(ObjectIdentifier(image)), task) { [key] lead in
            let freshness = request.originalCache.notes.freshness(of: image, forKey: key)
            lead.land(Material(.image(image), freshness: freshness))
        }
    }

    private func askOriginalOnDisk(_ task: DownloadTask) {
        if options.readsDiskOnCallersThread { return use(readOriginal(), task) }
        let cache = request.originalCache
        let identity = OriginalIdentity.onDisk(
            key: ExactText(key), version: cache.traffic.version(of: key),
            forcedExtension: options.forcedExtension.map { ExactText($0) },
            DiskReading.Extending(options.diskCacheAccessExtendingExpiration))
        shareOriginal(identity, task) { [self] lead in
            // The lane of the original's own key: a store of it that is still on its way comes first.
            cache.lanes.run(key: key) { [self] in
                let original = lead.isWanted ? readOriginal() : nil
                lead.land(original, isKept: original != nil)
            }
        }
    }

    private func readOriginal() -> Material? {
        let entry = try? request.originalCache.diskStorage.entry(
            forKey: key, forcedExtension: options.forcedExtension,
            extendingExpiration: options.diskCacheAccessExtendingExpiration)
        return entry.map { Material(.data($0.payload), freshness: HTTPFreshness($0.records)) }
    }

    /// Gets hold of an original, which `find` lands, together with whoever makes pictures of the same.
    private func shareOriginal(
        _ identity: OriginalIdentity, _ task: DownloadTask,
        find: (SharedWorkLead<OriginalIdentity, Material?>) -> Void
    ) {
        share(
            request.originalCache.originals, identity,
            unless: { [self] in takesAnotherLook() }
        ) { turn in
            switch turn {
            case .lead(let lead): find(lead)
            case .served(let original): use(original, task)
            case .refused: askCaches(task)
            case .wait: break
            }
        } receive: { [self] original in
            use(original, task)
        }
    }

    /// Processes a cached original; goes to the source when there is none, or one that is no picture.
    func use(_ original: Material?, _ task: DownloadTask) {
        guard let original, !(original.item.data.map(options.isPartial) ?? false) else {
            return askTiersForOriginal(task)
        }
        let picture: KFCrossPlatformImage? = if case .image(let image) = original.item { image } else { nil }
        let answer = CachedAnswer(
            place: .original(picture), isFromDisk: picture == nil, freshness: original.freshness
        ) {
            retrieval, answer, freshness in
            retrieval.process(original, as: answer, freshness, task)
        }
        use(answer, task)
    }
}

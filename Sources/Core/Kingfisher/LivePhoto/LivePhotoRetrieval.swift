import Foundation
import KingfisherTransport

struct LivePhotoRetrieval: Sendable {
    let options: KingfisherParsedOptionsInfo
    let cache: ImageCache
    let downloader: ImageDownloader
    let readsFileURLs: Bool
    var admission: AdmissionControl?
    var progress: LivePhotoProgress?

    func missingResources(of source: LivePhotoSource) async -> [LivePhotoResource] {
        if options.forceRefresh { return source.resources }
        var missing: [LivePhotoResource] = []
        for resource in source.resources where await currentFile(of: resource) == nil {
            missing.append(resource)
        }
        return missing
    }

    func downloadAndCache(_ resources: [LivePhotoResource]) async throws -> [Data] {
        if let first = resources.first, options.onlyFromCache, !options.forceRefresh {
            throw KingfisherError.cacheError(reason: .imageNotExisting(key: first.dataSource.cacheKey))
        }
        return try await withThrowingTaskGroup(of: (Int, Data).self) { group in
            for (index, resource) in resources.enumerated() {
                group.addTask {
                    // Read before the file: if it changes in the meantime, the next request loads it again.
                    let version = loadedSource(of: resource).versionFreshness(by: cache.clock)
                    let data = try await load(resource, progressBlock: progress?.part(index))
                    try await cache.store(
                        data, of: resource, expiration: options.diskCacheExpiration, version: version)
                    return (index, data)
                }
            }
            var loaded: [Int: Data] = [:]
            for try await (index, data) in group { loaded[index] = data }
            return resources.indices.compactMap { loaded[$0] }
        }
    }

    func files(of source: LivePhotoSource) async throws -> [URL] {
        var files: [URL] = []
        for resource in source.resources {
            // A local file may have changed since it was loaded.
            var file = await currentFile(of: resource)
            if file == nil { file = await cache.file(of: resource) }
            guard let file else {
                throw KingfisherError.cacheError(reason: .missingLivePhotoResourceOnDisk(resource))
            }
            files.append(file)
        }
        return files
    }

    private func loadedSource(of resource: LivePhotoResource) -> Source {
        resource.dataSource.loaded(readingFileURLs: readsFileURLs, maxBodyBytes: downloader.maxBodyBytes)
    }

    /// The cached file; nil if it is an earlier version of a local file.
    private func currentFile(of resource: LivePhotoResource) async -> URL? {
        let source = loadedSource(of: resource)
        return await cache.file(of: resource) { [options] in source.isCurrent($0, options) }
    }

    private func load(
        _ resource: LivePhotoResource, progressBlock: SendableProgressBlock?
    ) async throws -> Data {
        switch loadedSource(of: resource) {
        case .network(let resource):
            return try await downloader.downloadLivePhotoResource(
                with: resource.downloadURL, options: options, admission: admission,
                progressBlock: progressBlock
            ).originalData
        case .provider(let provider):
            do {
                return try await ProviderLoad().data(of: provider)
            } catch {
                throw KingfisherError.imageSettingError(
                    reason: .dataProviderError(provider: provider, error: error))
            }
        }
    }
}

extension ProviderLoad {
    /// The bytes of `provider`. Throws `CancellationError` as soon as the surrounding task is cancelled, even
    /// if the provider never answers.
    fileprivate func data(of provider: any ImageDataProvider) async throws -> Data {
        typealias Answer = CheckedContinuation<Data, any Error>
        let answer = Locked<Answer?>(nil)
        let finish: @Sendable (Result<Data, any Error>) -> Void = { result in
            answer.withLock { $0.take() }?.resume(with: result)
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: Answer) in
                answer.withLock { $0 = continuation }
                start(provider, handler: finish)
                // The task may have been cancelled before the continuation was stored.
                if Task.isCancelled { finish(.failure(CancellationError())) }
            }
        } onCancel: {
            cancel()
            finish(.failure(CancellationError()))
        }
    }
}

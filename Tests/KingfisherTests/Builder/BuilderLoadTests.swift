import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite @MainActor struct BuilderLoadTests {
    let bench: Bench
    let view = ImageView()
    let renderer = RecordingRenderer()

    init() throws {
        bench = try Bench()
        view.renderer = renderer
    }

    private func builder(_ builder: KF.Builder? = nil) -> KF.Builder {
        (builder ?? KF.url(bench.url)).targetCache(bench.cache).downloader(bench.downloader)
    }

    @Test("User story 6: placeholder, processor, fade and handlers work in one chain")
    func story() async throws {
        let placeholder = try Image.blank()
        let (loaded, failed) = (Inbox<RetrieveImageResult>(), Inbox<KingfisherError>())
        let task = builder()
            .placeholder(placeholder)
            .setProcessor(RoundCornerImageProcessor(cornerRadius: 20))
            .fade(duration: 0.25)
            .onSuccess { loaded.put($0) }
            .onFailure { failed.put($0) }
            .set(to: view)
        #expect(task != nil && view.image === placeholder)

        _ = try await renderer.animations.first()
        renderer.advance(view, by: 0.125)
        #expect(view.runningTransition?.originImage === placeholder && view.transitionProgress == 0.5)
        #expect(loaded.count == 0)
        renderer.advance(view, by: 0.125)

        let result = try await loaded.first()
        #expect(view.image === result.image && view.runningTransition == nil)
        #expect(result.cacheType == .none && result.source.url == bench.url)
        #expect(result.image.size == TestImages.pngSize)
        #expect(result.image.pixels?.samples(x: 0, y: 0)?.last == 0)
        await passMainQueue()
        #expect((loaded.count, failed.count) == (1, 0))
    }

    @Test("User story 6: a failure leaves the placeholder and calls the failure handler")
    func failure() async throws {
        let broken = try Bench(serving: TestImages.garbage)
        let placeholder = RecordingPlaceholder()
        let (loaded, failed) = (Inbox<Void>(), Inbox<KingfisherError>())
        builder().downloader(broken.downloader).placeholder(placeholder)
            .onSuccess { _ in loaded.put() }.onFailure { failed.put($0) }.set(to: view)
        #expect(try await failed.first().reasonName == "processingFailed")
        await passMainQueue()
        #expect((loaded.count, failed.count) == (0, 1))
        #expect(placeholder.isShown && view.kf.placeholder as? RecordingPlaceholder === placeholder)
    }

    @Test("An image in memory is shown, and its handler called, before set(to:) returns")
    func memoryHit() async throws {
        let stored = try await bench.retrieve().get().image
        let loaded = Inbox<RetrieveImageResult>()
        #expect(builder().onSuccess { loaded.put($0) }.set(to: view) == nil)
        #expect(loaded.values.map(\.cacheType) == [.memory] && view.image === stored)
    }

    @Test("Without a source, the placeholder is set and emptySource delivered before set(to:) returns")
    func emptySource() throws {
        let placeholder = try Image.blank()
        let builders = [
            KF.source(nil), KF.resource(nil), KF.url(nil), KF.url(nil, cacheKey: "key"), KF.dataProvider(nil),
            KF.data(nil, cacheKey: "key"),
        ]
        for empty in builders {
            let failed = Inbox<KingfisherError>()
            view.image = nil
            builder(empty).placeholder(placeholder).onFailure { failed.put($0) }.set(to: view)
            #expect(failed.values.map(\.reasonName) == ["emptySource"] && view.image === placeholder)
        }
    }

    @Test("Each kind of source is loaded and cached under its key")
    func sources() async throws {
        let (url, file) = (Bench.freshURL(), Fixtures.url(named: "PNG/rgba8.png"))
        let provider = RawImageDataProvider(data: try TestImages.png, cacheKey: "raw")
        let table: [(KF.Builder, URL?, String)] = [
            (KF.source(.network(url)), url, url.absoluteString),
            (KF.resource(KF.ImageResource(downloadURL: url, cacheKey: "resource")), url, "resource"),
            (KF.resource(url), url, url.absoluteString),
            (KF.url(url), url, url.absoluteString),
            (KF.url(url, cacheKey: "own"), url, "own"),
            (KF.url(file), file, file.cacheKey),
            (KF.url(file, cacheKey: "file"), file, "file"),
            (KF.dataProvider(provider), nil, "raw"),
            (KF.data(try TestImages.png, cacheKey: "data"), nil, "data"),
        ]
        for (start, url, key) in table {
            let loaded = Inbox<RetrieveImageResult>()
            builder(start).onSuccess { loaded.put($0) }.set(to: view)
            let source = try await loaded.first().source
            #expect(source.url == url && source.cacheKey == key)
            #expect(view.image?.size == TestImages.pngSize)
            #expect(bench.cache.isCached(forKey: key))
        }
    }

    @Test(
        "Handlers run on the main actor regardless of the callback queue; progress comes first",
        .behaviours("V-3"))
    func handlersOnMain() async throws {
        let done = Inbox<Void>()
        var (reports, onMain): ([Int64], [Bool]) = ([], [])
        builder().callbackQueue(.dispatch(MarkedQueue().queue))
            .onProgress { received, total in
                view.alpha = CGFloat(received) / CGFloat(total)
                reports.append(received)
                onMain.append(MainQueue.isCurrent)
            }
            .onSuccess { _ in
                onMain.append(MainQueue.isCurrent)
                done.put()
            }
            .set(to: view)
        _ = try await done.first(1)
        #expect(reports.last == Int64(try TestImages.png.count) && view.alpha == 1)
        #expect(onMain == Array(repeating: true, count: reports.count + 1))
    }

    @Test("A superseded load calls its own failure handler once", .behaviours("V-4"))
    func superseded() async throws {
        let (loaded, failed) = (Inbox<RetrieveImageResult>(), Inbox<KingfisherError>())
        bench.stub.hold()
        builder().onSuccess { loaded.put($0) }.onFailure { failed.put($0) }.set(to: view)
        let second = Bench.freshURL()
        builder(KF.url(second)).onSuccess { loaded.put($0) }.onFailure { failed.put($0) }.set(to: view)
        bench.stub.release()
        #expect(try await failed.first().isNotCurrentTask)
        #expect(try await loaded.first().source.url == second)
        await passMainQueue()
        #expect((loaded.count, failed.count) == (1, 1))
    }

    @Test("Cancelling the task cancels the load")
    func cancel() async throws {
        let failed = Inbox<KingfisherError>()
        bench.stub.hold()
        let task = builder().onFailure { failed.put($0) }.set(to: view)
        task?.cancel()
        #expect(try await failed.first().isTaskCancelled)
        #expect(view.image == nil)
    }

    @Test("One builder serves several views; each load takes the options at its start")
    func reuse() async throws {
        let other = ImageView()
        let loaded = Inbox<RetrieveImageResult>()
        let builder = builder().onSuccess { loaded.put($0) }
        builder.set(to: view)
        _ = try await loaded.first(1)
        builder.setProcessor(CroppingImageProcessor(size: CGSize(width: 5, height: 4))).set(to: other)
        _ = try await loaded.first(2)
        #expect(view.image?.size == TestImages.pngSize)
        #expect(other.image?.size == CGSize(width: 5, height: 4))
    }

    @Test("The original cache follows the target cache, as with options")
    func originalCache() async throws {
        let loaded = Inbox<RetrieveImageResult>()
        let processor = CountingProcessor("own")
        builder().setProcessor(processor).cacheOriginalImage().waitForCache().onSuccess { loaded.put($0) }
            .set(to: view)
        _ = try await loaded.first()
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey))
        #expect(bench.cache.isCached(forKey: bench.url.cacheKey, processorIdentifier: "own"))
    }

    @Test("Closures modify the request, the redirect and the image")
    func closures() async throws {
        let png = try TestImages.png
        let redirecting = try Bench { $0.url?.path == "/end" ? .ok(png) : .redirect(to: "/end") }
        let loaded = Inbox<RetrieveImageResult>()
        let seen = Inbox<[String?]>()
        builder().downloader(redirecting.downloader)
            .requestModifier { $0.setValue("yes", forHTTPHeaderField: "X-Asked") }
            .redirectHandler { redirect in
                seen.put([
                    redirect.task.originalURL?.path, "\(redirect.response.statusCode)",
                    redirect.newRequest.url?.path,
                ])
                var request = redirect.newRequest
                request.setValue("yes", forHTTPHeaderField: "X-Redirected")
                redirect.completionHandler(request)
            }
            .imageModifier { $0 = $0.withRenderingMode(.alwaysTemplate) }
            .onSuccess { loaded.put($0) }
            .set(to: view)
        let result = try await loaded.first()
        let requests = redirecting.stub.requests
        #expect(requests.first?.value(forHTTPHeaderField: "X-Asked") == "yes")
        #expect(requests.last?.value(forHTTPHeaderField: "X-Redirected") == "yes")
        #expect(seen.values == [[bench.url.path, "302", "/end"]])
        #expect(result.image.renderingMode == .alwaysTemplate && view.image === result.image)
        #expect(
            bench.cache.retrieveImageInMemoryCache(forKey: bench.url.cacheKey)?.renderingMode == .automatic)
    }

    @Test("An image modifier that throws leaves the image unchanged")
    func throwingModifier() async throws {
        struct Refusal: Error {}
        let loaded = Inbox<RetrieveImageResult>()
        builder()
            .imageModifier { image in
                image = image.withRenderingMode(.alwaysTemplate)
                throw Refusal()
            }
            .onSuccess { loaded.put($0) }.set(to: view)
        #expect(try await loaded.first().image.renderingMode == .automatic)
    }
}

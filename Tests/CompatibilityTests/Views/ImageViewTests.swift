import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

private typealias Outcome = Result<RetrieveImageResult, KingfisherError>

@Suite(.timeLimit(.minutes(1))) @MainActor struct ImageViewTests {
    let box: Sandbox
    let imageView = ImageView()

    init() throws {
        box = try Sandbox()
    }

    @Test("An image view shows the image of a URL")
    func shows() async throws {
        let url = box.url("PNG/rgb8.png")
        let outcome: Outcome = await answer { done in
            imageView.kf.setImage(with: url, options: box.options, completionHandler: done)
            #expect(imageView.image == nil && imageView.kf.taskIdentifier != nil)
        }
        let value = try outcome.get()
        #expect(imageView.image === value.image && value.cacheType == .none && value.source.url == url)
    }

    @Test("Thumbnail, rounded corners, fade, placeholder and indicator can be combined")
    func everything() async throws {
        let placeholder = try #require(
            KFCrossPlatformImage(contentsOfFile: Fixtures.url(named: "PNG/gray8.png").path))
        let processor =
            DownsamplingImageProcessor(size: CGSize(width: 100, height: 100))
            |> RoundCornerImageProcessor(cornerRadius: 20)
        imageView.kf.indicatorType = .activity
        let outcome: Outcome = await answer { done in
            imageView.kf.setImage(
                with: box.url("Photos/astronaut.jpg"),
                placeholder: placeholder,
                options: box.options + [
                    .processor(processor), .scaleFactor(2), .transition(.fade(0.1)), .cacheOriginalImage,
                ],
                completionHandler: { result in
                    switch result {
                    case .success(let value): #expect(value.source.url?.lastPathComponent == "astronaut.jpg")
                    case .failure(let error): Issue.record(error)
                    }
                    done(result)
                })
            #expect(imageView.image === placeholder)
            #expect(imageView.kf.indicator?.view.isHidden == false)
        }
        let image = try outcome.get().image
        #expect(imageView.image === image && imageView.kf.indicator?.view.isHidden == true)
        #expect(image.size == CGSize(width: 100, height: 100) && image.scale == 2)
        #expect(try #require(image.pixels?.converted(to: .rgba8Straight).samples(x: 0, y: 0)?.last) == 0)
    }

    @Test("Progress is reported to a view")
    func progress() async throws {
        var percents: [Int64] = []
        let outcome: Outcome = await answer { done in
            imageView.kf.setImage(
                with: box.url("Photos/rocket.jpg"), options: box.options,
                progressBlock: { received, total in percents.append(received * 100 / total) },
                completionHandler: done)
        }
        #expect(try outcome.get().image.size.width == 512)
        #expect(percents.last == 100)
    }

    @Test("A reused cell shows the image of its last load")
    func reuse() async throws {
        var first: Outcome?
        let second: Outcome = await answer { done in
            imageView.kf.setImage(with: box.url("slow/PNG/rgb8.png"), options: box.options) { first = $0 }
            imageView.kf.setImage(
                with: box.url("JPEG/420.jpg"), options: box.options, completionHandler: done)
        }
        #expect(try second.get().image === imageView.image)
        box.gate.release()
        #expect(await poll { first != nil })
        guard case .failure(let error)? = first,
            case .imageSettingError(reason: .notCurrentSourceTask(let result, _, let source)) = error
        else {
            Issue.record("\(String(describing: first))")
            return
        }
        #expect(error.isNotCurrentTask && source.url == box.url("slow/PNG/rgb8.png"))
        #expect(result?.image !== imageView.image && imageView.image?.size == CGSize(width: 48, height: 36))
    }

    @Test("A cell that leaves the screen cancels its load")
    func cancels() async {
        let outcome: Outcome = await answer { done in
            imageView.kf.setImage(
                with: box.url("slow/PNG/rgb8.png"), options: box.options, completionHandler: done)
            imageView.kf.cancelDownloadTask()
        }
        guard case .failure(let error) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(error.isTaskCancelled && imageView.image == nil)
        #expect(await poll { imageView.kf.taskIdentifier == nil })
    }

    @Test("keepCurrentImageWhileLoading shows the old image until the next one is loaded")
    func keepsCurrent() async throws {
        let old = try #require(KFCrossPlatformImage(data: Fixtures.data(named: "PNG/gray8.png")))
        imageView.image = old
        let outcome: Outcome = await answer { done in
            imageView.kf.setImage(
                with: box.url("PNG/rgb8.png"), options: box.options + [.keepCurrentImageWhileLoading],
                completionHandler: done)
            #expect(imageView.image === old)
        }
        #expect(try outcome.get().image === imageView.image)
        imageView.kf.setImage(with: box.url("slow/PNG/rgb8.png"), options: box.options)
        #expect(imageView.image == nil)
    }

    @Test("A failure shows the failure image")
    func failureImage() async throws {
        let sorry = try #require(KFCrossPlatformImage(data: Fixtures.data(named: "PNG/gray8.png")))
        for expected in [sorry, nil] {
            let outcome: Outcome = await answer { done in
                imageView.kf.setImage(
                    with: box.url("missing.png"), placeholder: KFCrossPlatformImage(),
                    options: box.options + [.onFailureImage(expected)], completionHandler: done)
            }
            #expect(throws: KingfisherError.self) { try outcome.get() }
            #expect(imageView.image === expected)
        }
    }

    @Test("A nil source empties the view")
    func noSource() {
        let placeholder = KFCrossPlatformImage()
        var outcome: Outcome?
        let url: URL? = nil
        let task = imageView.kf.setImage(with: url, placeholder: placeholder) { outcome = $0 }
        #expect(task == nil && imageView.image === placeholder)
        guard case .failure(.imageSettingError(reason: .emptySource))? = outcome else {
            Issue.record("\(String(describing: outcome))")
            return
        }
    }

    @Test("Sources, resources and data providers can be shown")
    func sources() async throws {
        let bytes = try Fixtures.data(named: "PNG/rgb8.png")
        let resource = ImageResource(downloadURL: box.url("PNG/rgb8.png"), cacheKey: "mine")
        let fetched: Outcome = await answer { done in
            imageView.kf.setImage(with: resource, options: box.options, completionHandler: done)
        }
        #expect(try fetched.get().cacheType == .none && fetched.get().source.cacheKey == "mine")
        let cached: Outcome = await answer { done in
            imageView.kf.setImage(
                with: Source.network(resource), options: box.options, completionHandler: done)
        }
        #expect(try cached.get().image === fetched.get().image)
        let provided: Outcome = await answer { done in
            imageView.kf.setImage(
                with: RawImageDataProvider(data: bytes, cacheKey: "raw"), options: box.options,
                completionHandler: done)
        }
        #expect(try provided.get().source.cacheKey == "raw")
        #expect(imageView.image?.size == CGSize(width: 33, height: 21))
    }

    @Test("A progressive JPEG is shown while it arrives")
    func progressive() async throws {
        let progressive = ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0)
        #expect(ImageProgressive.default.isBlur)
        let updates = Shared<[CGSize]>([])
        progressive.onImageUpdated.delegate(on: imageView) { _, image in
            updates.change { $0.append(image.size) }
            return .default
        }
        let window = TestWindow()
        window.show(imageView)
        var outcome: Outcome?
        imageView.kf.setImage(
            with: box.url("halves/Progressive/small.jpg"),
            options: box.options + [.progressiveJPEG(progressive)], completionHandler: { outcome = $0 })
        #expect(await poll { !updates.value.isEmpty })
        #expect(outcome == nil && imageView.image != nil)
        box.gate.release()
        #expect(await poll { outcome != nil })
        #expect(try outcome?.get().image === imageView.image)
        #expect(imageView.image?.size == CGSize(width: 80, height: 56))
    }
}

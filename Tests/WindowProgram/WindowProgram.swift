import KingfisherGTK

/// A program with one window that tests run as a process.
///
/// It shows the image at the URL in its first argument and prints its width. With a second argument it then
/// quits. If the first argument is "main-queue", it prints the results of `MainQueue` and quits; if it is
/// "choose-file", those of `FileChoice`. If it is "desktop", it shows `DesktopWindow`, which loads the second
/// argument.
@main struct WindowProgram {
    @MainActor static func main() {
        let status = Application(id: "org.example.first").run { app in
            guard CommandLine.arguments[1] != "desktop" else {
                return DesktopWindow.show(in: app, loading: URL(string: CommandLine.arguments[2]))
            }
            let view = ImageView()
            let window = app.showWindow(
                title: "First", size: CGSize(width: 320, height: 240), content: view)
            if CommandLine.arguments[1] == "choose-file" {
                return FileChoice.report(CommandLine.arguments[2], over: window, then: app.quit)
            }
            guard CommandLine.arguments[1] != "main-queue" else { return reportMainQueue(then: app.quit) }
            view.kf.setImage(with: URL(string: CommandLine.arguments[1])) { result in
                report((try? result.get()).map { "\($0.image.size.width)" } ?? "failed")
                guard CommandLine.arguments.count > 2 else { return }
                Task {
                    try await Task.sleep(for: .milliseconds(50))
                    report(view.bounds.width == 320 ? "shown" : "hidden")
                    app.quit()
                }
            }
        }
        report("ended")
        exit(status)
    }

    @MainActor private static func reportMainQueue(then quit: @escaping @MainActor () -> Void) {
        Task {
            report("blocks \(await MainQueue.runsBlocks())")
            report("tasks \(await MainQueue.resumesTasks())")
            report("hops \(await MainQueue.countCalls())")
            await MainQueue.waitForDraws()
            report("drawn")
            quit()
        }
    }

    static func report(_ word: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data("\(word)\n".utf8))
    }
}

import KingfisherGTK

@main struct FirstWindow {
    @MainActor static func main() {
        Application(id: "org.example.FirstWindow").run { app in
            let view = ImageView()
            view.contentMode = .scaleAspectFit
            view.kf.indicatorType = .activity
            view.kf.setImage(
                with: CommandLine.arguments.dropFirst().first.flatMap { URL(string: $0) },
                options: [.transition(.fade(0.3)), .processor(RoundCornerImageProcessor(cornerRadius: 20))])
            app.showWindow(title: "First window", size: CGSize(width: 640, height: 480), content: view)
        }
    }
}

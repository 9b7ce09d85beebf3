import json, os, random, signal, subprocess, sys, time, shutil
from pathlib import Path
import pytest
sys.path.insert(0, "/work/main")
from training.config import load_train_config, ConstantT
from training.trainer import train
from training.checkpoint import read_lines

def test_soak(finished, dataset, tmp_path):
    run = tmp_path/"train"; code="import sys,torch;torch.set_num_threads(1)\nfrom pathlib import Path\nfrom training.config import TrainConfig\nfrom training.trainer import train\ntrain(TrainConfig.model_validate_json(sys.argv[1]),*map(Path,sys.argv[2:]))"
    rnd=random.Random(4); kills=0
    for i in range(14):
        p=subprocess.Popen([sys.executable,"-c",code,finished.config.model_dump_json(),str(dataset),str(run)],env={**os.environ,"PYTHONPATH":"/work/main"},stderr=subprocess.DEVNULL)
        m=run/"rollouts"
        t=time.time()
        # wait until loaded
        while not list(run.glob("evaluations.jsonl")) and p.poll() is None and time.time()-t<30: time.sleep(.05)
        try: p.wait(timeout=4.5+rnd.random()*2.5)
        except subprocess.TimeoutExpired: p.send_signal(signal.SIGKILL); p.wait(); kills+=1
        print(i,p.returncode,len(read_lines(run/"metrics.jsonl")), sorted(x.name for x in run.glob("checkpoints/*")))
        if p.returncode==0: break
    r=train(finished.config,dataset,run)
    print("kills",kills,r.reused)
    for n in ("metrics.jsonl","evaluations.jsonl","checkpoints/step-000004/model.safetensors"):
        assert (run/n).read_bytes()==(finished.folder/n).read_bytes()
    print("optimizer equal bytes", (run/"checkpoints/step-000004/optimizer.pt").read_bytes()==(finished.folder/"checkpoints/step-000004/optimizer.pt").read_bytes())

@pytest.mark.parametrize("preset",["grpo","dapo-lite","microcoder-grpo"])
def test_presets(preset, tiny, dataset, tmp_path):
    c=load_train_config({"preset":preset,"model":str(tiny),"steps":1,"prompts_per_step":4,"mini_batch":2,"max_new_tokens":40,"heldout":1,"eval_attempts":1,"threads":1,"few_shot":[],"micro_batch_tokens":500},"x")
    run=tmp_path/"r"; train(c,dataset,run/"train")
    print(preset,read_lines(run/"train/metrics.jsonl")[0], (run/"train/temperature.json").read_text()[:200])
    from training.report import write_report
    print(write_report(run))
    c2=c.model_copy(update={"aggregation":"sequence","kl_coef":0.01}); train(c2,dataset,run/"seq"); print(read_lines(run/"seq/metrics.jsonl")[0])
